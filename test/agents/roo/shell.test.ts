import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type RooShell, type RooShellOptions, rooShell } from '../../../src/agents/roo/index.js'
import { hostPrograms, serveShell } from '../../../src/index.js'
import { compileOnce } from '../../support/compiled.js'
import { tempDir } from '../../support/facade.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../../support/workspace.js'
import { FakeHost, startShell } from './fake-host.js'
import { FakeRoo, type LiveOptions, liveFixture } from './live-fixture.js'

/** Restores the variables of this process, whatever they were at the start of the test run. */
const NAMES = ['ESCROW_SESSION_ID', 'ESCROW_SHELL', 'ESCROW_SESSION'] as const
const before = NAMES.map((name) => [name, process.env[name]] as const)
const escrowVariables = () => [process.env.ESCROW_SESSION_ID, process.env.ESCROW_SHELL]
beforeEach(() => {
  for (const name of NAMES) delete process.env[name]
})
afterEach(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

/** `escrow-sh` as a program, as in a package. */
function escrowSh(): string {
  const path = `${compileOnce()}/src/cli/sh.js`
  chmodSync(path, 0o755)
  return path
}

async function installShell(host = new FakeHost(), more: Partial<RooShellOptions> = {}): Promise<RooShell> {
  const shell = await rooShell({ provider: host, path: escrowSh(), ...more })
  onTestFinished(() => shell.dispose())
  return shell
}

/** A governed task whose commands run in `escrow-sh`. */
async function setUpShell(options: LiveOptions = {}) {
  const host = new FakeHost()
  const shell = await installShell(host)
  const live = await liveFixture({ shell, ...options })
  live.roo.terminal = host
  const run = (command: string) => live.roo.dispatch('execute_command', { command })
  return { ...live, host, shell, run }
}

const refusal = (text: string) => JSON.parse(text) as Record<string, unknown>

describe('execute_command of a live task with escrow-sh for its shell', () => {
  it('runs contained: it sees staged files, its changes are staged, and the disk is unchanged', async () => {
    const { run, roo, project, stagedChanges, workspace, host } = await setUpShell()
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'staged\n' })
    const output = await run('cat src/a.ts &amp;&amp; echo made &gt; src/made.ts; rm src/b.ts; exit 3')
    expect(output).toBe('Exit code: 3\nOutput:\nstaged\n')
    expect((await stagedChanges()).sort()).toEqual(['create src/made.ts', 'delete src/b.ts', 'modify src/a.ts'])
    expect([project.text('src/a.ts'), project.text('src/b.ts')]).toEqual(['a one\na two\n', 'b\n'])
    expect([existsSync(`${project.root}/src/made.ts`), host.loose]).toEqual([false, []])
    const records = (await recordsOf(workspace())).map(metadataOf)
    expect(records.filter(({ type }) => type === 'command')).toMatchObject([{ exit_code: 3, isolation: 'sandbox' }])
  })

  it("has the session's variables during its call only", async () => {
    const { run, host, session } = await setUpShell()
    const calls: unknown[] = []
    const { run: own } = host
    host.run = async (command, cwd) => {
      calls.push(escrowVariables())
      return own.call(host, command, cwd)
    }
    expect(escrowVariables()).toEqual([undefined, undefined])
    expect(await run('echo one')).toContain('one')
    expect(calls).toEqual([[session.id, expect.stringMatching(/^\/.*\/sh$/)]])
    expect(await run('echo two')).toContain('two')
    expect(escrowVariables()).toEqual([undefined, undefined])
  })

  it("runs contained if the host's modules may start nothing else", async () => {
    const { run, host, shell, session, stagedChanges } = await setUpShell()
    host.programs = hostPrograms(session, { shell: shell.path })
    expect(await run('echo one > src/one.ts; cat src/one.ts')).toBe('Exit code: 0\nOutput:\none\n')
    host.shell = '/bin/sh'
    expect(await run('echo two > src/two.ts')).toContain('Access Denied')
    expect(await stagedChanges()).toEqual(['create src/one.ts'])
  })

  it("is refused by policy as before, with escrow-sh's message", async () => {
    const { run, host } = await setUpShell({ policy: 'terminal: {classes: {destructive: deny}}' })
    expect(await run('rm -rf src')).toMatch(/Exit code: 126(.|\n)*Access Denied/)
    expect(host.loose).toEqual([])
  })

  it("is refused while the host would run it in the editor's terminal or another shell", async () => {
    const { run, host, stagedChanges } = await setUpShell()
    host.settings.terminalShellIntegrationDisabled = false
    expect(refusal(await run('rm src/b.ts'))).toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('editor terminal'),
    })
    host.settings.terminalShellIntegrationDisabled = true
    host.settings.execaShellPath = '/bin/bash'
    expect(refusal(await run('rm src/b.ts'))).toMatchObject({ message: expect.stringContaining('execaShellPath') })
    expect([host.loose, await stagedChanges(), escrowVariables()]).toEqual([[], [], [undefined, undefined]])
    host.getState = () => Promise.reject(new Error('no state'))
    expect(refusal(await run('rm src/b.ts'))).toMatchObject({ type: 'tool_error' })
  })

  it('is refused if the shell is changed while a person is asked', async () => {
    const { run, host, governed, engine, project, shell } = await setUpShell()
    const roo = new FakeRoo(project.root, 'task-1')
    roo.terminal = host
    roo.ask = async () => {
      host.settings.terminalShellIntegrationDisabled = false
      return { response: 'yesButtonClicked' }
    }
    const undo = governed.task(roo)
    onTestFinished(() => undo.dispose())
    await roo.getSystemPrompt()
    const answer = await roo.dispatch('execute_command', { command: 'rm src/b.ts' })
    expect(refusal(answer)).toMatchObject({ tool: 'execute_command', reason: 'unsupported', hint: expect.any(String) })
    await engine.runPostHook({ taskId: 'task-1' })
    host.settings.terminalShellIntegrationDisabled = true
    await shell.dispose()
    expect(refusal(await run('rm src/b.ts'))).toMatchObject({ message: expect.stringContaining('was removed') })
    expect(host.loose).toEqual([])
  })

  it('is refused without an intent, and leaves no variables', async () => {
    const { run } = await setUpShell({ intent: null })
    expect(refusal(await run('echo x'))).toMatchObject({ reason: 'missing_intent_id' })
    expect(escrowVariables()).toEqual([undefined, undefined])
  })
})

describe('a call that a later hook refuses', () => {
  it('leaves no variables behind, and its command is not run', async () => {
    const { run, engine, project, shell } = await setUpShell()
    engine.registerPreHook({
      preExecute: () => ({ message: 'Not today.', code: 'unsupported' }),
      postExecute: () => undefined,
    })
    const refused = refusal(await run('echo x > src/x.ts'))
    expect(refused).toMatchObject({ message: expect.stringContaining('Not today.') })
    expect(escrowVariables()).toEqual([undefined, undefined])
    expect((await startShell(shell.path, 'echo x > src/x.ts', project.root)).output).toContain('No session was given')
  })
})

describe('two tasks in one process', () => {
  async function setUpTwoTasks() {
    const at = await setUpShell()
    const other = new FakeRoo(at.project.root, 'task-2')
    other.terminal = at.host
    const session = await at.engine.sessionOf('task-2', at.project.root)
    await session.selectIntent('INT-001')
    const undo = at.governed.task(other)
    onTestFinished(() => undo.dispose())
    await other.getSystemPrompt()
    return { ...at, other, otherSession: session }
  }

  it('run their commands one after the other, each in its session', async () => {
    const { run, other, otherSession, stagedChanges } = await setUpTwoTasks()
    await run('echo 1 > src/one.ts')
    await other.dispatch('execute_command', { command: 'ls src; echo 2 > src/two.ts' })
    await run('echo 3 > src/three.ts')
    expect(await stagedChanges()).toEqual(['create src/one.ts', 'create src/three.ts'])
    expect((await otherSession.changes()).changes.map(({ path }) => path)).toEqual(['src/two.ts'])
  })

  it('never run at once: the second is refused and runs in neither session', async () => {
    const { run, roo, other, otherSession, host, stagedChanges } = await setUpTwoTasks()
    const { run: own } = host
    let answer: string | undefined
    host.run = async (command, cwd) => {
      answer ??= await other.dispatch('execute_command', { command: 'echo stray > src/stray.ts' })
      return own.call(host, command, cwd)
    }
    expect(await run('echo mine > src/mine.ts')).toContain('Exit code: 0')
    expect(refusal(answer ?? '')).toMatchObject({ message: expect.stringContaining('could not be told apart') })
    expect([await stagedChanges(), (await otherSession.changes()).changes]).toEqual([['create src/mine.ts'], []])
    expect(await other.dispatch('execute_command', { command: 'echo later' })).toContain('later')
    expect(roo.results).toHaveLength(1)
  })

  it.each(['ended', 'let go'])('whose call never ends gives way when its task is %s', async (how) => {
    const { roo, other, engine, host, undo } = await setUpTwoTasks()
    const { run: own } = host
    const begun = new Promise<void>((resolve) => {
      host.run = () => new Promise(() => resolve())
    })
    void roo.dispatch('execute_command', { command: 'sleep 1000' })
    await begun
    expect(escrowVariables()[0]).toBe('task-1')
    await (how === 'ended' ? engine.endTask('task-1') : undo.dispose())
    host.run = own
    expect(await other.dispatch('execute_command', { command: 'echo x' })).toContain('Output:\nx')
  })
})

describe('the shell of a task', () => {
  it('runs the judged command once, and no other', async () => {
    const { host, project, run, shell, stagedChanges } = await setUpShell()
    const { run: own } = host
    const outputs: string[] = []
    host.run = async (command, cwd) => {
      outputs.push((await startShell(shell.path, 'echo stray > src/stray.ts', cwd)).output)
      const output = await own.call(host, command, cwd)
      outputs.push((await startShell(shell.path, command, cwd)).output)
      return output
    }
    expect(await run('echo mine > src/mine.ts')).toContain('Exit code: 0')
    expect(outputs).toEqual([expect.stringContaining('was not checked'), expect.stringContaining('was not checked')])
    expect(await stagedChanges()).toEqual(['create src/mine.ts'])
    expect((await startShell(shell.path, 'echo x', project.root)).output).toContain('No session was given')
  })

  it('is sent again on each activation, whatever the host has stored', async () => {
    const settings = { execaShellPath: escrowSh(), terminalShellIntegrationDisabled: false }
    const host = new FakeHost(settings)
    await installShell(host)
    expect(host.settings).toMatchObject({ execaShellPath: escrowSh(), terminalShellIntegrationDisabled: true })
    expect(host.messages).toHaveLength(1)
    const deaf = new FakeHost({ ...settings, terminalShellIntegrationDisabled: true })
    deaf.isDeaf = true
    await expect(rooShell({ provider: deaf, path: escrowSh() })).rejects.toMatchObject({ reason: 'unsupported' })
  })

  it('must be a program with an absolute path', async () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    writeFileSync(`${path}/sh`, '')
    for (const each of [`${path}/sh`, `${path}/absent`, 'escrow-sh'])
      await expect(rooShell({ provider: new FakeHost(), path: each })).rejects.toMatchObject({ reason: 'unsupported' })
  })

  it('restores variables and settings', async () => {
    Object.assign(process.env, { ESCROW_SESSION_ID: 'persons', ESCROW_SHELL: '/persons/sh' })
    const settings = { execaShellPath: '/persons/bash', terminalShellIntegrationDisabled: false }
    const host = new FakeHost(settings)
    const shell = await installShell(host)
    expect([escrowVariables(), host.shell]).toEqual([[undefined, undefined], shell.path])
    await shell.dispose()
    expect([escrowVariables(), host.shell]).toEqual([['persons', '/persons/sh'], '/persons/bash'])
    expect(host.settings).toEqual(settings)
    const again = await installShell(host)
    Object.assign(host.settings, { execaShellPath: '/new' })
    await again.dispose()
    expect(host.settings.execaShellPath).toBe('/new')
  })

  it('that is removed during a call stays the host’s until its end, and no other shell runs the command', async () => {
    Object.assign(process.env, { ESCROW_SESSION_ID: 'persons', ESCROW_SHELL: '/persons/sh' })
    const { run, host, shell, stagedChanges } = await setUpShell()
    const { run: own } = host
    host.run = async (command, cwd) => {
      await shell.dispose()
      expect(host.shell).toBe(shell.path)
      return own.call(host, command, cwd)
    }
    expect(await run('echo x > src/x.ts')).toMatch(/Exit code: 126(.|\n)*not run/)
    await expect.poll(() => [host.shell, ...escrowVariables()]).toEqual([undefined, 'persons', '/persons/sh'])
    expect([await stagedChanges(), host.loose]).toEqual([[], []])
  })
})

it('escrow-sh, started the way execa does by the process that serves the session, works on the stage', async () => {
  const project = testWorkspace()
  const session = await startSession(await project.open(), 'shell')
  session.fs.writeFileSync('src/a.ts', 'staged\n')
  const server = await serveShell(session)
  onTestFinished(() => server.close())
  Object.assign(process.env, server.env)
  const { code, output } = await startShell(escrowSh(), 'cat a.ts; echo more >> a.ts', `${project.root}/src`)
  expect([code, output]).toEqual([0, 'staged\n'])
  expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('staged\nmore\n')
  expect(project.text('src/a.ts')).toBe('a one\na two\n')
})
