import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Overlay } from '../../overlay/index.js'
import { openCopy } from '../../src/terminal/copy-place.js'
import { tempDir } from '../support/facade.js'
import { countProcesses } from '../support/processes.js'
import { stateOf } from '../support/state.js'
import { failure, INTENTS, metadataOf, reasonOf, recordsOf } from '../support/workspace.js'
import { site } from './site.js'

// Simulates a machine where namespaces are refused.
vi.mock('../../src/terminal/containments.js', async () =>
  (await import('../support/containments.js')).refusingMachine(),
)
vi.mock('../../src/terminal/remembered-attempts.js', async () =>
  (await import('../support/containments.js')).noMemory(),
)

const ALLOWED = { '.orchestration/policy.yaml': 'terminal: { isolation_none: true }\n' }
const COPY = { 'src/a.ts': 'a one\na two\n', 'src/b.ts': 'b\n', 'src/sub/c.ts': 'c\n', ...ALLOWED }

describe('commands without containment', () => {
  it('do not run without permission, and a permission for one applies to that one', async () => {
    const { session, write } = await site()
    const { reason, hint } = await failure(() => session.exec('true'))
    expect([reason, hint]).toEqual(['unsupported', expect.stringContaining('To fix it: allow them')])
    expect(hint).toContain('isolation_none')
    expect(await reasonOf(() => session.start('true'))).toBe('unsupported')
    expect(await reasonOf(() => session.run('true'))).toBe('unsupported')
    expect((await session.exec('true', { isolation: 'none' })).isolation).toBe('none')
    expect(await reasonOf(() => session.exec('true'))).toBe('unsupported')
    write('.orchestration/policy.yaml', ALLOWED['.orchestration/policy.yaml'])
    await wait(20)
    expect((await session.exec('true')).isolation).toBe('none')
  })

  it('run on a copy of the stage, and their effects are staged and labelled', async () => {
    const { session, root, text, workspace } = await site(COPY)
    session.fs.writeFileSync(`${root}/src/a.ts`, 'staged\n')
    session.fs.renameSync(`${root}/src/sub`, `${root}/src/moved`)
    const ran = await session.exec(
      'cat a.ts moved/c.ts; rm b.ts; echo more >> a.ts; chmod 755 moved/c.ts; mkdir -p n/e; echo x > n/x; ln -s x n/l; mkfifo f',
      { cwd: 'src' },
    )
    expect([ran.exitCode, ran.stdout, ran.isolation]).toEqual([0, 'staged\nc\n', 'none'])
    expect(ran.refused.map(({ path, reason }) => [path, reason])).toEqual([['src/f', 'unsupported']])
    expect(ran.effects.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'delete src/b.ts',
      'modify src/a.ts',
      'mode src/moved/c.ts',
      'mkdir src/n/e',
      'link src/n/l',
      'create src/n/x',
    ])
    expect((await session.exec('cat src/a.ts src/n/l; ls src src/n')).stdout).toBe(
      'staged\nmore\nx\nsrc:\na.ts\nmoved\nn\n\nsrc/n:\ne\nl\nx\n',
    )
    expect((await session.exec('true')).summary).toBe('Nothing changed.')
    expect([text('src/a.ts'), text('src/b.ts')]).toEqual(['a one\na two\n', 'b\n'])
    const commands = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
    for (const { isolation, network } of commands) expect([isolation, network]).toEqual(['none', true])
  })

  it('see no refused file of an earlier one, but git-ignored ones, and a repository stays whole', async () => {
    const { session, root } = await site(
      { ...COPY, 'mail/m.ts': 'm\n', '.gitignore': '*.log\n', '.git/config': 'c\n', '.git/index': 'i\n' },
      INTENTS,
    )
    const { refused, kept } = await session.exec(
      'echo y >> mail/m.ts; echo l > run.log; echo x > .git/hook; echo i > .git/index; echo p >> .orchestration/policy.yaml; mv src/a.ts a.ts',
    )
    expect(refused.map(({ path, reason }) => `${path} ${reason}`).sort()).toEqual([
      '.git protected_path',
      '.orchestration/policy.yaml protected_path',
      'a.ts scope_violation',
      'mail/m.ts scope_violation',
      'src/a.ts scope_violation',
    ])
    expect(kept).toEqual(['run.log'])
    expect((await session.exec('cat mail/m.ts run.log src/a.ts; ls .git; cat .git/index')).stdout).toBe(
      'm\nl\na one\na two\nconfig\nindex\ni\n',
    )
    expect(fs.readdirSync(root)).not.toContain('run.log')
    const command = await session.start('cat run.log')
    expect([(await command.wait()).refused, command.read().text]).toEqual([[], 'l\n'])
    expect(fs.existsSync(`${stateOf(root)}/sessions/agent/quarantine`)).toBe(true)
  })

  it('see no hidden path, and do not overwrite what a person saves meanwhile', async () => {
    const { session, root, text } = await site({ ...COPY, 'src/.env': 'SECRET\n' })
    const saved = { isDone: false }
    const { stdout, refused } = await session.exec('ls -A src; sleep 0.3; echo x >> src/a.ts; rm -r src/sub', {
      onOutput: () => {
        if (!saved.isDone) fs.writeFileSync(`${root}/src/a.ts`, 'by a person\n')
        saved.isDone = true
      },
    })
    expect(stdout).toBe('a.ts\nb.ts\nsub\n')
    expect(refused.map(({ path, reason }) => [path, reason])).toEqual([['src/a.ts', 'stale_file']])
    expect(text('src/a.ts')).toBe('by a person\n')
  })

  it('end with their processes; background ones are ingested and stopped', async () => {
    const { session, root } = await site(COPY)
    const mark = `escrowfs-${process.pid}-uncontained`
    await session.exec(`sh -c 'sleep 61; : ${mark}' & true`)
    for (let i = 0; i < 100 && countProcesses(mark) > 0; i++) await wait(20)
    expect(countProcesses(mark)).toBe(0)
    const late = await session.exec('sleep 60', { timeout: 50 })
    expect([late.exitCode, late.ended]).toEqual([null, 'timeout'])
    expect((await session.exec('kill -TERM $$')).exitCode).toBe(128 + 15)
    expect((await session.exec(['no-such-program'])).exitCode).toBe(127)
    const server = await session.start("trap 'exit 4' TERM; echo 1 > src/out; echo ready; while :; do sleep 0.02; done")
    while (!server.read().text.includes('ready')) await wait(10)
    expect((await server.ingest()).effects.changes.map(({ path }) => path)).toEqual(['src/out'])
    expect((await server.ingest()).effects.changes).toEqual([])
    expect((await server.stop()).exitCode).toBe(4)
    expect(session.fs.readFileSync(`${root}/src/out`, 'utf8')).toBe('1\n')
    const fickle = await session.start(
      "trap 'rm src/new; exit 0' TERM; echo 1 > src/new; echo ready; while :; do sleep 0.02; done",
    )
    while (!fickle.read().text.includes('ready')) await wait(10)
    expect((await fickle.ingest()).effects.changes.map(({ path }) => path)).toEqual(['src/new'])
    await fickle.stop()
    expect(session.fs.existsSync(`${root}/src/new`)).toBe(false)
  })

  it('may lock files, which are read all the same, and keep the modes that they set', () => {
    const { path: root, dispose } = tempDir()
    onTestFinished(dispose)
    const isRoot = process.getuid?.() === 0
    // Root reads files that nobody may read.
    if (isRoot) process.seteuid?.(65_534)
    try {
      const place = openCopy(root)
      fs.mkdirSync(`${place.written}/d`)
      fs.writeFileSync(`${place.written}/d/f`, 'locked')
      fs.chmodSync(`${place.written}/d/f`, 0)
      fs.chmodSync(`${place.written}/d`, 0)
      const overlay = { typeOf: () => undefined } as unknown as Overlay
      const { effects } = place.effects({ overlay, isLive: false, isKept: () => false })
      expect(effects).toMatchObject([
        { kind: 'dir', path: 'd', mode: 0 },
        { kind: 'file', path: 'd/f', mode: 0 },
      ])
      expect(effects.map((each) => (each.kind === 'file' ? each.read().toString() : ''))).toEqual(['', 'locked'])
      void place.close()
    } finally {
      if (isRoot) process.seteuid?.(0)
    }
  })
})

it('a directory that its owner may not change keeps its mode, and its copy is removed', async () => {
  const { session, root, workspace } = await site({ ...COPY, 'closed/f': 'f\n' })
  fs.chmodSync(`${root}/closed`, 0o555)
  const mode = 'stat -c %a closed'
  expect((await session.exec(mode)).stdout).toBe('555\n')
  const { stdout, effects } = await session.exec(`${mode}; touch src/new`)
  expect([stdout, effects.changes.map(({ path }) => path)]).toEqual(['555\n', ['src/new']])
  await workspace.close()
})

it('a file whose name is not UTF-8 is left out, and a directory with such a name is refused', async () => {
  const { session, root } = await site(COPY)
  const bad = (name: string) => Buffer.concat([Buffer.from(`${root}/src/${name}`), Buffer.from([0xff])])
  fs.writeFileSync(bad('file'), 'x')
  const { exitCode, summary } = await session.exec('cat src/a.ts')
  expect([exitCode, summary.split('\n')[0]]).toEqual([0, 'Nothing changed.'])
  fs.mkdirSync(bad('dir'))
  const { message, hint } = await failure(() => session.exec('cat src/a.ts'))
  expect(message).toBe('The name of the directory src/dir\ufffd is not UTF-8, so its files have no paths.')
  expect(hint).toContain('Rename the directory')
})

it('the holes of a file stay holes', async () => {
  const { session, root } = await site(COPY)
  fs.writeFileSync(`${root}/src/image`, 'start')
  fs.truncateSync(`${root}/src/image`, 64 * 2 ** 20)
  fs.appendFileSync(`${root}/src/image`, 'end')
  const { stdout } = await session.exec(
    'stat -c %s src/image; head -c 5 src/image; tail -c 3 src/image; du -k src/image',
  )
  const [size, text = ''] = stdout.split('\n')
  expect([size, text.slice(0, 8)]).toEqual([String(64 * 2 ** 20 + 3), 'startend'])
  expect(Number.parseInt(text.slice(8), 10)).toBeLessThan(8_192)
})
