import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveShell } from '../../src/index.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

/** Starts `escrow-sh` as a host does. Its session is a new one or belongs to another process. */

interface ShellResult {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

type Env = Readonly<Record<string, string>>

function start(args: readonly string[], cwd: string, env: Env): { child: ChildProcess; ended: Promise<ShellResult> } {
  const { ESCROW_SESSION, ESCROW_SESSION_ID, ESCROW_SHELL, ...plain } = process.env
  const child = spawn(process.execPath, [`${compileOnce()}/src/cli/sh.js`, ...args], { cwd, env: { ...plain, ...env } })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk)
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code, signal]): ShellResult => ({ code, signal, ...output }))
  return { child, ended }
}

async function run(args: readonly string[], cwd: string, env: Env, input = ''): Promise<ShellResult> {
  const { child, ended } = start(args, cwd, env)
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return ended
}

/** Runs the same command in a new session, or in the process that owns the session. */
async function setUp(isServed: boolean) {
  const project = testWorkspace()
  const workspace = await project.open()
  const env: Record<string, string> = { ESCROW_SESSION_ID: 'shell', ESCROW_INTENT_ID: 'INT-001' }
  if (!isServed) return { ...project, workspace, env }
  const session = await startSession(workspace, 'shell')
  const server = await serveShell(session)
  onTestFinished(() => server.close())
  return { ...project, workspace, env: { ...server.env } }
}

describe.each([
  ['in its own session', false],
  ['in the session of a living process', true],
])('escrow-sh %s', (_, served) => {
  it('runs a command in the working directory with output, input and exit code, and stages its changes', async () => {
    const { root, env, text, workspace } = await setUp(served)
    const ran = await run(
      ['-c', 'cat; pwd | sed "s#.*/##"; echo wrong >&2; echo new > a.ts; exit 7'],
      `${root}/src`,
      env,
      'in\n',
    )
    expect(ran).toMatchObject({ code: 7, signal: null, out: 'in\nsrc\n', err: 'wrong\n' })
    expect(text('src/a.ts')).toBe('a one\na two\n')
    const { changes } = await (await workspace.review('shell')).changes()
    expect(changes.map(({ path, kind, intentId }) => [path, kind, intentId])).toEqual([
      ['src/a.ts', 'modify', 'INT-001'],
    ])
    const commands = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
    expect(commands).toMatchObject([{ exit_code: 7, isolation: 'sandbox' }])
  })

  it('prints refusals, and the reason if nothing was run', async () => {
    const { root, env, workspace } = await setUp(served)
    const ran = await run(['-lc', 'echo x > mail/m.ts; kill -TERM $$'], root, env)
    expect(ran).toMatchObject({ code: 128 + 15, err: expect.stringContaining('refused (scope_violation): mail/m.ts') })
    fs.writeFileSync(`${root}/.orchestration/policy.yaml`, 'terminal: {classes: {destructive: deny, write: ask}}\n')
    const denied = await run(['-c', 'rm -rf src'], root, env)
    expect(denied).toMatchObject({ code: 126, out: '', err: expect.stringContaining('not run: Access Denied') })
    const refused = await run(['-c', 'touch src/x'], root, env)
    expect(refused).toMatchObject({ code: 126, err: expect.stringContaining('Needs Approval') })
    const review = await workspace.review('shell')
    for (const { id } of await review.questions()) await review.answer(id, { answer: 'once', by: { name: 'Ada' } })
    expect(await run(['-c', 'touch src/x'], root, env)).toMatchObject({ code: 0, err: '' })
    expect(await run(['-c', 'touch src/x'], root, env)).toMatchObject({ code: 126 })
    expect(fs.existsSync(`${root}/src/x`)).toBe(false)
  })

  it('ends its command on a signal, and dies by that signal', async () => {
    const { root, env } = await setUp(served)
    const { child, ended } = start(['-c', 'echo begun; sleep 60'], root, env)
    await once(child.stdout ?? child, 'data')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', out: 'begun\n' })
    expect((await run(['-c', 'echo next'], root, env)).out).toBe('next\n')
  })
})

describe('escrow-sh', () => {
  const mark = 'touch /tmp/escrow-sh-ran-outside'

  it.each([
    [['-c', mark], {}, 126, /No session was given/],
    [['-c', mark], { ESCROW_SESSION_ID: 'a/b' }, 126, /not a valid session id/],
    [['-c', mark], { ESCROW_SESSION_ID: 'x', ESCROW_SESSION: 'y' }, 126, /inside of session y/],
    [['-c', mark], { ESCROW_SESSION_ID: 'x', ESCROW_SHELL: '/nowhere/sh' }, 126, /not a socket/],
    [['-c', mark], { ESCROW_SESSION_ID: 'x', ESCROW_INTENT_ID: 'INT-009' }, 126, /INT-009/],
    [['-c'], { ESCROW_SESSION_ID: 'x' }, 2, /needs a command/],
    [['-c', mark, 'more'], { ESCROW_SESSION_ID: 'x' }, 2, /not passed on/],
    [['-ec', mark], { ESCROW_SESSION_ID: 'x' }, 2, /not an option/],
    [['script.sh'], { ESCROW_SESSION_ID: 'x' }, 2, /not an option/],
    [[], { ESCROW_SESSION_ID: 'x' }, 2, /is not interactive/],
  ] as const)('%j with %j runs nothing', async (args, env, code, message) => {
    const { root } = testWorkspace()
    expect(await run(args, root, env)).toMatchObject({ code, out: '', err: expect.stringMatching(message) })
    expect(fs.existsSync('/tmp/escrow-sh-ran-outside')).toBe(false)
  })

  it('runs nothing outside a workspace, or in a session that another process holds without serving it', async () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    const env = { ESCROW_SESSION_ID: 'shell' }
    expect(await run(['-c', mark], path, env)).toMatchObject({
      code: 126,
      err: expect.stringContaining('There is no escrow workspace'),
    })
    const { root, workspace } = await setUp(true)
    const busy = await run(['-c', mark], root, env)
    expect(busy).toMatchObject({ code: 126, err: expect.stringContaining('is held by another running process') })
    expect(await run(['--session', 'other', '-c', 'echo ran'], root, env)).toMatchObject({ code: 0, out: 'ran\n' })
    await workspace.close()
  })

  it('refuses a socket that another user could have created, and one that closes', async () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    const { root } = testWorkspace()
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => server.listen(`${path}/sh`, resolve))
    onTestFinished(() => void server.close())
    const env = { ESCROW_SESSION_ID: 'x', ESCROW_SHELL: `${path}/sh` }
    fs.chmodSync(path, 0o755)
    expect(await run(['-c', mark], root, env)).toMatchObject({
      code: 126,
      err: expect.stringContaining('not a socket'),
    })
    fs.chmodSync(path, 0o700)
    expect(await run(['-c', mark], root, env)).toMatchObject({
      code: 126,
      err: expect.stringContaining('holds the session'),
    })
  })
})

describe('serveShell', () => {
  it('listens in a private directory, is removed on close, and drops clients with an unknown protocol', async () => {
    const project = testWorkspace()
    const server = await serveShell(await startSession(await project.open(), 'shell'))
    const path = server.env.ESCROW_SHELL
    expect(fs.statSync(path.replace(/\/sh$/, '')).mode & 0o777).toBe(0o700)
    expect(path.startsWith(project.root)).toBe(false)
    const { connect } = await import('node:net')
    for (const input of ['{}\n', 'nonsense\n', '{"run":7,"cwd":"."}\n', 'x'.repeat(3 << 20)]) {
      const socket = connect(path)
      socket.on('error', () => undefined)
      socket.write(input)
      await new Promise((resolve) => socket.once('close', resolve))
    }
    await server.close()
    expect(fs.existsSync(path)).toBe(false)
  })
})
