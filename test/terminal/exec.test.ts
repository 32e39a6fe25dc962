import fs from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChild } from '../children/run.js'
import { commandsWith, countProcesses } from '../support/processes.js'
import { stateOf } from '../support/state.js'
import { INTENTS, metadataOf, reasonOf, recordsOf } from '../support/workspace.js'
import { site } from './site.js'

describe('a command', () => {
  it('sees the stage, and its own effects are staged for the next', async () => {
    const { session, root, text } = await site()
    session.fs.writeFileSync(`${root}/src/a.ts`, 'staged\n')
    session.fs.rmSync(`${root}/src/b.ts`)
    session.fs.renameSync(`${root}/mail`, `${root}/post`)
    const first = await session.exec('cat src/a.ts; ls src post; echo more >> src/a.ts')
    expect(first).toMatchObject({ exitCode: 0, stderr: '', refused: [], kept: [], isolation: 'sandbox' })
    expect(first.stdout).toBe('staged\npost:\nm.ts\n\nsrc:\na.ts\nsub\n')
    expect((await session.exec(['cat', 'src/a.ts'])).stdout).toBe('staged\nmore\n')
    expect(session.fs.readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('staged\nmore\n')
    expect(text('src/a.ts')).toBe('a one\na two\n')
    expect(fs.readdirSync(root).sort()).toEqual(['.orchestration', 'mail', 'src'])
  })

  it('is a tool call like others: it has one snapshot before it, and a return to that undoes it', async () => {
    const { session } = await site()
    await session.exec('echo more >> src/a.ts')
    const snapshots = await session.snapshots()
    expect(snapshots.map(({ tool }) => tool)).toEqual(['exec'])
    await session.travel(snapshots[0]?.id ?? '')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
  })

  it('returns its exit code and its output in order, and gets its input, directory and environment', async () => {
    const { session } = await site()
    const outputs: string[] = []
    const ran = await session.exec('cat; pwd | sed "s#.*/##"; echo "$WORD $ESCROW_SESSION"; echo wrong >&2; exit 7', {
      stdin: 'given\n',
      cwd: 'src/sub',
      env: { WORD: 'hello' },
      onOutput: (chunk, stream) => outputs.push(`${stream} ${Buffer.from(chunk)}`),
    })
    expect(ran).toMatchObject({ exitCode: 7, stdout: 'given\nsub\nhello agent\n', stderr: 'wrong\n' })
    expect(outputs.join('')).toContain('stderr wrong\n')
    expect((await session.exec('kill -TERM $$')).exitCode).toBe(128 + 15)
    expect((await session.exec(['no-such-program'])).exitCode).not.toBe(0)
    expect(await reasonOf(() => session.exec('true', { cwd: '..' }))).toBe('nothing_selected')
    expect(await reasonOf(() => session.exec('true', { cwd: 'src/a.ts' }))).toBe('nothing_selected')
  })

  it('ends at its timeout or if its caller aborts; its effects until then are staged', async () => {
    const { session } = await site()
    const late = await session.exec('echo 1 > src/first; sleep 60; echo 2 > src/second', { timeout: 500 })
    expect(late).toMatchObject({ exitCode: null, ended: 'timeout' })
    expect(late.effects.changes.map(({ path }) => path)).toEqual(['src/first'])
    for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31])
      expect(await session.exec('echo over', { timeout })).toMatchObject({ exitCode: 0, stdout: 'over\n' })
    for (const timeout of [-1, Number.NaN])
      expect(await reasonOf(() => session.exec('true', { timeout })), `${timeout}`).toBe('unsupported')
    const controller = new AbortController()
    const running = session.exec('echo started; sleep 60', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    })
    expect(await running).toMatchObject({ exitCode: null, ended: 'aborted', stdout: 'started\n' })
    expect((await session.exec('ls src')).stdout).toContain('first')
  })

  it("ends, with nothing staged, if its caller's output callback throws; the next one runs", async () => {
    const { session } = await site()
    const failing = session.exec('echo 1 > src/first; echo said; sleep 60', {
      onOutput: () => {
        throw new Error('the screen is gone')
      },
    })
    await expect(failing).rejects.toThrow('the screen is gone')
    expect((await session.changes()).changes).toEqual([])
    expect((await session.exec('ls src')).stdout).not.toContain('first')
  })

  it('ends if its processes together use more memory than the limit, even if each uses less', async () => {
    const { session } = await site()
    const holding = '(head -c 80m /dev/zero | tail -c 80m | (sleep 60; cat)) > /dev/null'
    const memory = 100 << 20
    const one = await session.exec(`echo 1 > src/first; timeout 0.5 sh -c '${holding}'; echo over`, { memory })
    expect(one).toMatchObject({ exitCode: 0, stdout: 'over\n' })
    const all = await session.exec(`echo 2 > src/second; ${holding} & ${holding} & wait`, { memory })
    expect(all).toMatchObject({ exitCode: null, ended: 'memory' })
    expect((await session.exec('cat src/first src/second')).stdout).toBe('1\n2\n')
    expect((await session.exec('cat /proc/self/oom_score_adj')).stdout).toBe('1000\n')
  })

  it('leaves no process and no directory behind, also when the host is killed', async () => {
    const { session, root, workspace } = await site()
    const mark = `escrowfs-${process.pid}-left`
    await session.exec(`setsid sh -c 'exec -a ${mark} sleep 60' > /dev/null 2>&1 & true`)
    expect(countProcesses(mark)).toBe(0)
    await session.close()
    await workspace.close()
    const child = startChild('running.ts', root, `echo here; sh -c 'sleep 61; : ${mark}'`)
    expect(await child.line()).toBe('here')
    expect(countProcesses(mark)).toBeGreaterThan(0)
    const layers = commandsWith(`\0${root}\0`).flatMap(
      (command) => /\/[^\0]*\/escrow-layers-\w+(?=\0)/.exec(command) ?? [],
    )
    expect(layers.length).toBeGreaterThan(0)
    await child.kill()
    const isLeft = () => countProcesses(mark) > 0 || layers.some((path) => fs.existsSync(path))
    for (let i = 0; i < 100 && isLeft(); i++) await wait(20)
    expect(isLeft()).toBe(false)
  })

  it('runs after the previous one, and concurrent calls wait their turn', async () => {
    const { session } = await site()
    const all = await Promise.all([1, 2, 3].map((n) => session.exec(`cat src/n 2>/dev/null; echo ${n} >> src/n`)))
    expect(all.map(({ stdout }) => stdout)).toEqual(['', '1\n', '1\n2\n'])
  })
})

describe('the effects of a command', () => {
  it('have kinds, and are attributed to the intent and the tool call', async () => {
    const { session, workspace } = await site({ 'src/a': 'a\n', 'src/b': 'b\n', 'src/c': 'c\n', 'src/d': 'd\n' })
    const { effects, summary } = await session.toolCall(
      { tool: 'execute_command', kind: 'command', id: 'call-1' },
      () =>
        session.exec(
          'rm src/a; echo more >> src/b; mv src/c src/e; chmod 755 src/d; echo new > src/f; ln -s f src/l; mkdir src/g',
        ),
    )
    expect(effects.changes.map(({ path, kind }) => [kind, path])).toEqual([
      ['delete', 'src/a'],
      ['modify', 'src/b'],
      ['mode', 'src/d'],
      ['rename', 'src/e'],
      ['create', 'src/f'],
      ['mkdir', 'src/g'],
      ['link', 'src/l'],
    ])
    expect(summary.split('\n')).toEqual([
      'deleted: src/a',
      'renamed: src/c -> src/e',
      'modified: src/b',
      'created: src/f',
      'mode changed: src/d',
      'linked: src/l',
      'made directory: src/g',
    ])
    for (const { calls, intentId } of effects.changes) expect([calls, intentId]).toEqual([['call-1'], 'INT-001'])
    const [command] = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
    expect(command).toMatchObject({ exit_code: 0, network: false, isolation: 'sandbox', refused: [] })
    expect(command?.effects).toContain('src/a')
  })

  it('out of scope, protected or of an unsupported kind are refused one by one, and quarantined', async () => {
    const { session, root, workspace } = await site(
      { 'src/a.ts': 'a\n', 'mail/m.ts': 'm\n', 'docs/d.md': 'd\n' },
      INTENTS,
    )
    const { refused, effects, summary } = await session.exec(
      'echo x >> src/a.ts; echo y >> mail/m.ts; rm -r docs; mkfifo src/f; mkdir -p .git/hooks; echo z > .git/hooks/post-commit',
    )
    expect(effects.changes.map(({ path }) => path)).toEqual(['src/a.ts'])
    expect(Object.fromEntries(refused.map(({ path, reason }) => [path, reason]))).toEqual({
      'mail/m.ts': 'scope_violation',
      'docs/d.md': 'scope_violation',
      'src/f': 'unsupported',
      '.git': 'protected_path',
    })
    expect(summary).toMatch(/^refused/)
    // They are absent for the next command too.
    expect((await session.exec('cat mail/m.ts docs/d.md; ls src; ls -d .git')).stdout).toBe('m\nd\na.ts\n')
    const [place = ''] = fs.readdirSync(`${stateOf(root)}/sessions/agent/quarantine`)
    const dir = `${stateOf(root)}/sessions/agent/quarantine/${place}`
    const list = JSON.parse(fs.readFileSync(`${dir}/refused.json`, 'utf8')) as { path: string; content?: string }[]
    const mail = list.find(({ path }) => path === 'mail/m.ts')
    expect(fs.readFileSync(`${dir}/${mail?.content}`, 'utf8')).toBe('m\ny\n')
    const [command] = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
    expect(command?.refused).toHaveLength(4)
  })

  it('are refused as a whole if a file would be moved out of the scope', async () => {
    const { session } = await site({ 'src/a.ts': 'a long enough file\n' }, INTENTS)
    const { refused, effects } = await session.exec('mv src/a.ts moved.ts')
    expect(refused.map(({ path }) => path).sort()).toEqual(['moved.ts', 'src/a.ts'])
    expect(effects.changes).toEqual([])
  })

  it('leave git-ignored files to later commands, and judge a file that existed before by policy', async () => {
    const { session, root } = await site({
      '.gitignore': 'node_modules/\n*.log\nlocal.txt\n',
      'local.txt': 'A=1\n',
      'src/a': 'a\n',
    })
    const first = await session.exec(
      'mkdir -p node_modules/x; echo 1 > node_modules/x/i.js; echo l > run.log; echo B=2 > local.txt',
    )
    expect(first.kept.sort()).toEqual(['node_modules', 'run.log'])
    expect(first.refused.map(({ path, reason }) => [path, reason])).toEqual([])
    expect(first.effects.changes.map(({ path }) => path)).toEqual(['local.txt'])
    const second = await session.exec('cat node_modules/x/i.js run.log; echo 2 > node_modules/x/j.js')
    expect(second).toMatchObject({ stdout: '1\nl\n', kept: [], summary: 'Nothing changed.' })
    expect((await session.exec('cat node_modules/x/j.js')).stdout).toBe('2\n')
    expect(session.fs.existsSync(`${root}/node_modules`)).toBe(false)
    expect(fs.existsSync(`${root}/node_modules`)).toBe(false)
  })

  it("do not include git's refresh of its index", async () => {
    const { session } = await site({ '.git/config': '', '.git/index': 'old', 'src/a': 'a\n' })
    expect(await session.exec('echo new > .git/index')).toMatchObject({ refused: [], summary: 'Nothing changed.' })
  })

  it('on a file that a person or a tool changed meanwhile are refused, and nothing is lost', async () => {
    const { session, root, text } = await site({ 'src/a': 'a\n', 'src/b': 'b\n', 'src/c': 'c\n' })
    const running = session.exec(
      'echo begun; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo x >> src/a; echo x >> src/b; echo x >> src/c',
      {
        onOutput: () => {
          fs.writeFileSync(`${root}/src/a`, 'saved by a person\n')
          session.fs.writeFileSync(`${root}/src/b`, 'written by a tool\n')
        },
      },
    )
    const { refused, effects } = await running
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([
      ['src/a', 'stale_file'],
      ['src/b', 'stale_file'],
    ])
    expect(effects.changes.map(({ path }) => path)).toContain('src/c')
    expect(text('src/a')).toBe('saved by a person\n')
    expect(session.fs.readFileSync(`${root}/src/b`, 'utf8')).toBe('written by a tool\n')
  })

  it('of a commit between two commands are seen by the second', async () => {
    const { session, root, workspace, text } = await site({ 'src/a': 'a\n' })
    await session.exec('echo more >> src/a')
    const review = await workspace.review('agent')
    await review.approve()
    await review.commit()
    expect(text('src/a')).toBe('a\nmore\n')
    fs.writeFileSync(`${root}/src/a`, 'a person\n')
    const { stdout, effects } = await session.exec('cat src/a; echo again > src/b')
    expect(stdout).toBe('a person\n')
    expect(effects.changes.map(({ path }) => path)).toEqual(['src/b'])
  })
})

describe('policy for commands', () => {
  it('hides from commands the same paths as from reads', async () => {
    const policy = 'access:\n  "**/.env": hidden\n  keys: deny\n'
    const files = { '.env': 'SECRET\n', 'app/.env': 'SECRET\n', 'keys/k.pem': 'SECRET\n', 'src/a': 'a\n' }
    const { session } = await site({ ...files, '.orchestration/policy.yaml': policy })
    const ran = await session.exec('cat .env app/.env keys/k.pem; grep -r SECRET . ; ls -a . app')
    expect(ran.stdout).toBe('.:\n.\n..\n.orchestration\napp\nsrc\n\napp:\n.\n..\n')
    // Created again by a command, they are still not writable for it.
    const { refused } = await session.exec('echo mine > .env; rm -rf keys app')
    expect(refused.map(({ path }) => path)).toContain('.env')
    expect(refused.map(({ path }) => path)).toContain('app/.env')
  })

  it('closes outside paths to commands as to reads, and opens what a more specific rule opens', async () => {
    const { session, write } = await site()
    const policy = (rules: string) => write('.orchestration/policy.yaml', `outside: ${rules}\n`)
    // A path that is not below /tmp, because each command has its own.
    const home = fs.mkdtempSync(`${homedir()}/escrowfs-test-`)
    onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }))
    fs.mkdirSync(`${home}/closed/open`, { recursive: true })
    fs.writeFileSync(`${home}/closed/secret`, 'SECRET')
    fs.writeFileSync(`${home}/closed/open/word`, 'word')
    const command = `cat ${home}/closed/secret ${home}/closed/open/word`
    expect((await session.exec(command)).stdout).toBe('SECRETword')
    policy(`{ ${home}/closed: deny, ${home}/closed/open: allow }`)
    await wait(20)
    expect((await session.exec(command)).stdout).toBe('word')
    policy('{ "/**": hidden }')
    await wait(20)
    expect(await reasonOf(() => session.exec('true'))).toBe('access_denied')
    policy('{ a: nonsense }')
    await wait(20)
    expect(await reasonOf(() => session.exec('true'))).toBe('policy_invalid')
  })

  it('allows commands to use the network only by a rule', async () => {
    const { session, write } = await site()
    expect(await reasonOf(() => session.exec('true', { network: true }))).toBe('access_denied')
    const server = createServer((socket) => socket.end('reached'))
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const connect = `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:${port}"); print $s ? <$s> : "no way"'`
    expect((await session.exec(connect)).stdout).toBe('no way')
    write('.orchestration/policy.yaml', 'terminal: { network: true }\n')
    await wait(20)
    expect((await session.exec(connect, { network: true })).stdout).toBe('reached')
    expect((await session.exec(connect)).stdout).toBe('no way')
  })
})
