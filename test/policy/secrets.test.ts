import { symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { secretIn, secretName } from '../../src/policy/secrets.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

describe('a secret', () => {
  it.each([
    ['.env', '.env'],
    ['app/.env.production', 'app/.env.production'],
    ['app/.ENV', 'app/.ENV'],
    ['deploy/.ssh/known', 'deploy/.ssh'],
    ['certs/server.key', 'certs/server.key'],
    ['a/b/cert.pem/x', 'a/b/cert.pem'],
    ['ID_RSA', 'ID_RSA'],
    ['.ｅｎｖ', '.ｅｎｖ'],
    [`${homedir()}/.aws/credentials`, `${homedir()}/.aws`],
    [`${homedir()}/.docker/config.json`, `${homedir()}/.docker/config.json`],
    ['/srv/keys/tls.pem', '/srv/keys/tls.pem'],
    ['/etc/shadow', '/etc/shadow'],
    ['/etc/ssl/private/own/server', '/etc/ssl/private'],
  ])('is %s, by %s', (path, of) => {
    expect(secretIn(path)?.path).toBe(of)
  })

  it.each([
    '/etc/passwd',
    '/etc/shadow.d',
    '.env.example',
    '.env.sample',
    'src/env.ts',
    'src/.environment',
    'src/key.ts',
    'docs/pem.md',
    '.key',
    '.pem',
    'id_rsa.pub',
    `${homedir()}/.npmrc`,
    `${homedir()}/.sshd`,
    `${homedir()}`,
    '',
  ])('is not %s', (path) => {
    expect(secretIn(path)).toBeUndefined()
  })

  it('is recognized by its name alone, in any case', () => {
    expect([secretName('.Env.Local'), secretName('.env.Example'), secretName('main.ts')]).toEqual([
      'environment variables',
      undefined,
      undefined,
    ])
  })
})

describe('a session', () => {
  const FILES = {
    'src/.env': 'KEY=1\n',
    'src/a.ts': 'a\n',
    'src/.env.example': 'KEY=\n',
    'src/tls.pem': 'private\n',
    'src/conf/.env': 'K=2\n',
  }

  it('neither reads nor writes it, by any name or link, and the refusal says how a person can open it', async () => {
    const project = testWorkspace(FILES)
    const { fs } = await startSession(await project.open())
    const secret = `${project.root}/src/.env`
    const error = await failure(() => fs.readFileSync(secret))
    expect(error).toMatchObject({ code: 'EACCES', reason: 'access_denied' })
    expect(error.message).toContain('may hold secrets (environment variables), so it is closed to agents.')
    expect(error).toMatchObject({ hint: expect.stringContaining('access: { "src/.env": allow }') })
    fs.writeFileSync(`${project.root}/src/b.ts`, 'b')
    for (const attempt of [
      () => fs.writeFileSync(secret, 'x'),
      () => fs.rmSync(secret),
      () => fs.renameSync(secret, `${project.root}/src/plain`),
      () => fs.linkSync(secret, `${project.root}/src/plain`),
      () => fs.copyFileSync(secret, `${project.root}/src/plain`),
      () => fs.renameSync(`${project.root}/src/b.ts`, secret),
      () => fs.openSync(secret, 'r'),
      () => fs.readFileSync(`${project.root}/src/tls.pem`),
    ])
      expect([String(attempt), (await failure(attempt)).reason]).toEqual([String(attempt), 'access_denied'])
    symlinkSync('.env', `${project.root}/src/link`)
    expect((await failure(() => fs.symlinkSync('.env', `${project.root}/src/second`))).reason).toBe('access_denied')
    expect((await failure(() => fs.readFileSync(`${project.root}/src/link`))).reason).toBe('access_denied')
    // A directory keeps its secrets wherever it is moved.
    fs.renameSync(`${project.root}/src/conf`, `${project.root}/src/settings`)
    expect((await failure(() => fs.readFileSync(`${project.root}/src/settings/.env`))).reason).toBe('access_denied')
    expect(fs.readFileSync(`${project.root}/src/.env.example`, 'utf8')).toBe('KEY=\n')
    expect(fs.readdirSync(`${project.root}/src`)).toContain('.env')
    expect(project.text('src/.env')).toBe('KEY=1\n')
  })

  it('reads a file that a rule names, and not one that only a rule for its directory allows', async () => {
    const project = testWorkspace({
      ...FILES,
      '.orchestration/policy.yaml': 'access: { src: allow, "src/*.pem": allow }\n',
    })
    const { fs } = await startSession(await project.open())
    expect(fs.readFileSync(`${project.root}/src/tls.pem`, 'utf8')).toBe('private\n')
    expect((await failure(() => fs.readFileSync(`${project.root}/src/.env`))).reason).toBe('access_denied')
  })

  it.each([
    'access: { "**/*": allow }',
    // The rule for the directory is another one, but it is stricter.
    'access: { "**/*": allow, src: read-only }',
    'access: { "**/*": read-only, src: read-only, src/conf: ask }',
    'access: { "*": allow, "*/*": allow, "**/.*": allow, "**/*.*": allow }',
  ])('reads no secret under %s, whose globs are for any names', async (policy) => {
    const project = testWorkspace({ ...FILES, '.env': 'KEY=1\n', '.orchestration/policy.yaml': `${policy}\n` })
    const { fs } = await startSession(await project.open())
    for (const path of ['.env', 'src/.env', 'src/conf/.env'])
      expect((await failure(() => fs.readFileSync(`${project.root}/${path}`))).reason).toBe('access_denied')
    expect(fs.readFileSync(`${project.root}/src/a.ts`, 'utf8')).toBe('a\n')
  })

  it("cannot read the machine's password hashes, even as root, by a command or directly", async () => {
    const project = testWorkspace(FILES)
    const session = await startSession(await project.open())
    expect(
      (await session.exec('top=root; cat /etc/shadow /etc/./shadow /proc/self/$top/etc/shadow; wc -l < /etc/passwd'))
        .stdout,
    ).toMatch(/^\d+\n$/)
    expect((await failure(() => session.fs.readFileSync('/etc/shadow'))).reason).toBe('access_denied')
  })

  it('finds it absent in a command, unless a rule names it', async () => {
    const project = testWorkspace({ ...FILES, 'src/deep/node/.env.local': 'SECRET\n' })
    const session = await startSession(await project.open())
    const command = 'cd src && cat .env tls.pem deep/node/.env.local; ls -A . deep/node'
    expect((await session.exec(command)).stdout).toBe('.:\n.env.example\na.ts\nconf\ndeep\n\ndeep/node:\n')
    project.write('src/deep/late.key', 'SECRET\n')
    expect((await session.exec('cat src/deep/late.key; ls -A src/deep')).stdout).toBe('node\n')
    project.write('.orchestration/policy.yaml', 'access: { "**/.env": allow, "**/*.key": allow }\n')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await session.exec(command)).stdout).toContain('KEY=1\n')
  })
})
