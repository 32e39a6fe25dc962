import { AsyncResource } from 'node:async_hooks'
import type childProcess from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import fs, { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type EnteredRoo, type EnterRooOptions, enterRoo, type LiveTask } from '../../../src/agents/roo/index.js'
import { compileOnce } from '../../support/compiled.js'
import { tempDir } from '../../support/facade.js'
import { type TestWorkspace, testWorkspace } from '../../support/workspace.js'
import { FakeHost } from './fake-host.js'
import { FakeRoo } from './live-fixture.js'

/** A provider that creates tasks as the host does: a delegation removes the parent before it creates the child. */
class FakeProvider extends FakeHost {
  readonly #events = new EventEmitter()
  current: FakeRoo | undefined

  on(event: 'taskCreated', listener: (task: LiveTask) => void): void {
    this.#events.on(event, listener)
  }

  off(event: 'taskCreated', listener: (task: LiveTask) => void): void {
    this.#events.off(event, listener)
  }

  getCurrentTask() {
    return this.current
  }

  getMcpHub() {
    return this.current?.mcpHub
  }

  async create(task: FakeRoo): Promise<FakeRoo> {
    this.current?.emit('taskAborted')
    this.current = task
    task.terminal = this
    this.#events.emit('taskCreated', task)
    await task.getSystemPrompt()
    return task
  }
}

interface Bundle {
  readonly fs: typeof fs
  readonly programs: typeof childProcess
}

let project: TestWorkspace
let home: string
let provider: FakeProvider
let bundle: Bundle
const require = createRequire(import.meta.url)

beforeEach(() => {
  const dir = tempDir()
  home = dir.path
  onTestFinished(() => dir.dispose())
  project = testWorkspace()
  fs.mkdirSync(`${home}/roo/storage`, { recursive: true })
  fs.writeFileSync(`${home}/roo/bundle.cjs`, `exports.fs = require('fs'); exports.programs = require('child_process')`)
})

async function enter(options: Partial<EnterRooOptions> = {}): Promise<EnteredRoo> {
  const entered = await enterRoo({
    root: project.root,
    modules: [`${home}/roo`],
    hostDirectories: [`${home}/roo/storage`],
    version: '3.52.1',
    shell: `${compileOnce()}/src/cli/sh.js`,
    load: () => {
      bundle = require(`${home}/roo/bundle.cjs`)
      provider = new FakeProvider()
      provider.programs = bundle.programs
      return { sidebarProvider: provider }
    },
    ...options,
  })
  onTestFinished(() => entered.leave())
  return entered
}

async function task(id = 'task-1'): Promise<FakeRoo> {
  const roo = new FakeRoo(project.root, id)
  roo.fs = bundle.fs
  await provider.create(roo)
  return roo
}

/** Runs like the handler of an editor event: outside of every task's async context. */
function outsideOfFlows<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return AsyncResource.bind(work)
}

const inWorkspace = (path: string) => `${project.root}/${path}`

describe('one call', () => {
  it("governs Roo's modules, tasks, commands and MCP servers", async () => {
    const entered = await enter()
    const roo = await task()
    expect(entered.commandsRefused).toBeUndefined()
    await (await entered.sessionOf(roo)).selectIntent('INT-001')
    const write = { path: 'src/a.ts', content: 'staged\n' }
    expect(JSON.parse(await roo.dispatch('write_to_file', write))).toMatchObject({ operation: 'modified' })
    expect(await roo.dispatch('execute_command', { command: 'cat src/a.ts' })).toContain(
      'Exit code: 0\nOutput:\nstaged',
    )
    expect(await roo.dispatch('mcp--files--write', { path: 'x' })).toBe('from the server')
    expect([project.text('src/a.ts'), bundle.fs.readFileSync(inWorkspace('src/a.ts'), 'utf8')]).toEqual([
      'a one\na two\n',
      'staged\n',
    ])
    await roo.getSystemPrompt()
    const review = await entered.workspace.review('task-1')
    await review.approve(undefined, { name: 'Ada' })
    await review.commit()
    expect(project.text('src/a.ts')).toBe('staged\n')
    const records: unknown[] = []
    for await (const record of entered.workspace.ledger.records()) records.push(record)
    expect(JSON.stringify(records)).toContain('"tool":"roo-code","tool_version":"3.52.1"')
  })

  it('reads the disk before there is a task, and changes nothing', async () => {
    await enter()
    expect(bundle.fs.readFileSync(inWorkspace('src/a.ts'), 'utf8')).toBe('a one\na two\n')
    expect(() => bundle.fs.writeFileSync(inWorkspace('src/a.ts'), '')).toThrow('only while a tool call is running')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('keeps a conversation across delegations', async () => {
    const entered = await enter()
    const parent = await task()
    const session = await entered.sessionOf(parent)
    await session.selectIntent('INT-001')
    await parent.dispatch('write_to_file', { path: 'src/a.ts', content: 'parent\n' })
    const child = new FakeRoo(project.root, 'task-2')
    Object.assign(child, { fs: bundle.fs, parentTaskId: 'task-1' })
    await provider.create(child)
    expect(await child.dispatch('read_file', { path: 'src/a.ts' })).toBe('parent\n')
    expect(await entered.sessionOf(child)).toBe(session)
  })

  it('offers its tools in a file that Roo loads', async () => {
    const entered = await enter()
    const roo = await task()
    const file = pathToFileURL(inWorkspace('.roo/tools/escrowfs.js')).href
    const tools: Record<string, unknown> = await import(`${file}?${Date.now()}`)
    expect(Object.values(tools)).toEqual(entered.customTools)
    const select = entered.customTools.find(({ name }) => name === 'select_active_intent')
    expect(await select?.execute({ intent_id: 'INT-001' }, { task: roo })).toContain('Active intent set to INT-001.')
    expect((await entered.sessionOf(roo)).intent?.id).toBe('INT-001')
  })

  it('restores everything on leave', async () => {
    const entered = await enter()
    const roo = await task()
    await entered.leave()
    expect(Object.keys(roo)).not.toContain('ask')
    expect(provider.shell).toBeUndefined()
    expect(createRequire(`${home}/roo/bundle.cjs`)('fs')).toBe(fs)
  })

  it('runs the tools of a custom dispatcher', async () => {
    const entered = await enter({ load: () => undefined })
    bundle = require(`${home}/roo/bundle.cjs`)
    const write = async (path: string, content: string) => {
      const call = { taskId: 'own', toolName: 'write_to_file', params: { path, content }, modelId: 'some-model' }
      return entered.runTool(call, async () => {
        await bundle.fs.promises.writeFile(inWorkspace(path), content)
        return 'written'
      })
    }
    expect(await write('src/a.ts', 'x')).toContain('missing_intent_id')
    await entered.engine.setActiveIntent('own', 'INT-001')
    expect(await write('src/a.ts', 'x')).toBe('written')
    expect(await write('mail/m.ts', 'x')).toContain('scope_violation')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    const subtask = { taskId: 'sub', parentTaskId: 'own', toolName: 'read_file', params: { path: 'src/a.ts' } }
    expect(await entered.runTool(subtask, () => bundle.fs.promises.readFile(inWorkspace('src/a.ts'), 'utf8'))).toBe('x')
  })
})

describe("a change by a person in Roo's screens", () => {
  it('reaches the disk, through every step that Roo makes', async () => {
    await enter()
    const { fs: own } = bundle
    await own.promises.mkdir(inWorkspace('.roo/rules'), { recursive: true })
    await own.promises.mkdir(inWorkspace('.roo/mcp.json.lock'))
    const temp = inWorkspace('.roo/.mcp.json.new_1700000000000_ab1.tmp')
    await own.promises.writeFile(temp, '{}')
    own.renameSync(temp, inWorkspace('.roo/mcp.json'))
    own.rmdirSync(inWorkspace('.roo/mcp.json.lock'))
    for (const name of ['.roo/rules/one.md', 'AGENTS.md', '.roomodes', '.rooignore', '.roorules-code'])
      own.writeFileSync(inWorkspace(name), 'a person’s\n')
    expect(project.text('.roo/mcp.json')).toBe('{}')
    expect(existsSync(inWorkspace('.roo/mcp.json.lock'))).toBe(false)
    expect(project.text('.roo/rules/one.md') + project.text('AGENTS.md')).toBe('a person’s\na person’s\n')
  })

  it('also reaches the disk while the model waits for a person in a call', async () => {
    const entered = await enter()
    const click = outsideOfFlows((name: string) => bundle.fs.promises.writeFile(inWorkspace(name), 'clicked'))
    const roo = await task()
    await (await entered.sessionOf(roo)).selectIntent('INT-001')
    const asking = roo.dispatch('ask_followup_question', { question: 'Which?' })
    await click('.roomodes')
    await expect(click('src/a.ts')).resolves.toBeUndefined()
    await asking
    expect([project.text('.roomodes'), project.text('src/a.ts')]).toEqual(['clicked', 'a one\na two\n'])
  })

  it('is not possible for a tool call or a link', async () => {
    const entered = await enter()
    const roo = await task()
    await (await entered.sessionOf(roo)).selectIntent('INT-001')
    const answer = await roo.dispatch('write_to_file', { path: '.roo/rules/mine.md', content: 'obey me' })
    expect(JSON.parse(answer)).toMatchObject({ reason: 'protected_path' })
    const patch = '*** Begin Patch\n*** Add File: AGENTS.md\n+obey me\n*** End Patch'
    expect(JSON.parse(await roo.dispatch('apply_patch', { patch }))).toMatchObject({ reason: 'protected_path' })
    await roo.stream('.roo/rules/deep/mine.md', 'obey')
    expect([existsSync(inWorkspace('.roo/rules')), existsSync(inWorkspace('AGENTS.md'))]).toEqual([false, false])
    fs.mkdirSync(`${home}/else`)
    fs.symlinkSync(`${home}/else`, inWorkspace('.roo/modes'))
    expect(() => bundle.fs.writeFileSync(inWorkspace('.roo/modes/x.md'), 'x')).toThrow()
    expect(existsSync(`${home}/else/x.md`)).toBe(false)
  })
})

describe('files that Zoo Code creates next to the written one', () => {
  it('need no scope, are never staged, and become a write of their target', async () => {
    const intents = 'active_intents:\n  - {id: INT-001, name: One, status: IN_PROGRESS, owned_scope: [src/a.ts]}\n'
    project = testWorkspace({ 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' }, intents)
    const entered = await enter()
    const session = await entered.sessionOf({ taskId: 'zoo' })
    await session.selectIntent('INT-001')
    const { fs: own } = bundle
    /** As `safeWriteText` does it under an advisory lock. */
    const save = async (path: string, content: string) => {
      const [target, staging] = [inWorkspace(path), inWorkspace(`src/.file-safety-staging_1700000000000_x1`)]
      const [lock, backup] = [`${target}.lock`, inWorkspace('src/.a.ts.bak_1700000000000_x2.tmp')]
      await own.promises.mkdir(lock)
      await own.promises.utimes(lock, 1, 1)
      own.mkdirSync(staging, { recursive: true, mode: 0o700 })
      own.chmodSync(staging, 0o700)
      const temp = `${staging}/.safeWriteText_1700000000000_x3.tmp`
      const fd = own.openSync(temp, 'w', 0o644)
      own.writeSync(fd, Buffer.from(content))
      own.fsyncSync(fd)
      own.closeSync(fd)
      await own.promises.copyFile(target, backup)
      expect(await own.promises.readFile(backup, 'utf8')).toBe(fs.readFileSync(target, 'utf8'))
      try {
        await own.promises.rename(temp, target)
      } finally {
        await own.promises.rm(staging, { recursive: true, force: true })
        await own.promises.unlink(backup)
        await own.promises.rmdir(lock)
      }
      return 'saved'
    }
    const call = (path: string) =>
      entered.runTool({ taskId: 'zoo', toolName: 'write_to_file', params: { path, content: 'new\n' } }, () =>
        save(path, 'new\n'),
      )
    expect(await call('src/a.ts')).toBe('saved')
    expect(await call('src/b.ts')).toContain('scope_violation')
    const { changes } = await session.changes()
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['modify src/a.ts'])
    expect([session.fs.readFileSync('src/a.ts', 'utf8'), fs.readdirSync(inWorkspace('src'))]).toEqual([
      'new\n',
      ['a.ts', 'b.ts'],
    ])
  })

  it('are not taken for a file whose name ends in .lock', async () => {
    const entered = await enter()
    const session = await entered.sessionOf({ taskId: 'zoo' })
    await session.selectIntent('INT-001')
    const path = 'src/yarn.lock'
    await entered.runTool({ taskId: 'zoo', toolName: 'write_to_file', params: { path, content: 'v1' } }, async () => {
      bundle.fs.writeFileSync(inWorkspace(path), 'v1')
      return 'written'
    })
    expect((await session.changes()).changes.map((change) => change.path)).toEqual([path])
  })
})

describe('programs of Roo within a tool call', () => {
  const waitForExit = async (child: childProcess.ChildProcess) => {
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
    })
    const [code] = await once(child, 'close')
    return { code, output }
  }

  it('are ps, and git for its own checkpoints; a refused one exits with 126', async () => {
    const entered = await enter()
    await entered.engine.setActiveIntent('own', 'INT-001', project.root)
    const { programs } = bundle
    const storage = `${home}/roo/storage`
    const params = { path: 'src/a.ts', content: '' }
    await entered.runTool({ taskId: 'own', toolName: 'write_to_file', params }, async () => {
      expect((await waitForExit(programs.spawn('ps', ['-A', '-o', 'ppid,pid,stat,comm']))).output).toContain('node')
      expect((await waitForExit(programs.spawn('git', ['init', '-q'], { cwd: storage }))).code).toBe(0)
      for (const [args, cwd] of [
        [['status'], project.root],
        [['-c', 'core.fsmonitor=touch x', 'status'], storage],
        [['clean', '-fd'], storage],
      ] as const)
        expect((await waitForExit(programs.spawn('git', [...args], { cwd }))).code).toBe(126)
      expect((await waitForExit(programs.spawn('ps', ['-A; touch x']))).code).toBe(126)
      return 'done'
    })
  })

  it('restore no checkpoint while changes wait for review', async () => {
    const entered = await enter()
    const roo = await task()
    const session = await entered.sessionOf(roo)
    await session.selectIntent('INT-001')
    const git = (...args: string[]) => waitForExit(bundle.programs.spawn('git', args, { cwd: `${home}/roo/storage` }))
    expect((await git('init', '-q', `--separate-git-dir=${home}/roo/storage/git`, project.root)).code).toBe(0)
    const restore = () =>
      git(`--git-dir=${home}/roo/storage/git`, `--work-tree=${project.root}`, 'clean', '-fdq', 'src')
    await roo.dispatch('write_to_file', { path: 'src/a.ts', content: 'staged\n' })
    await roo.getSystemPrompt()
    expect((await restore()).code).toBe(126)
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    await session.revert()
    expect((await restore()).code).toBe(0)
    expect(existsSync(inWorkspace('src/a.ts'))).toBe(false)
  })
})

it('keeps a tools file that somebody else wrote', async () => {
  project.write('.roo/tools/escrowfs.js', 'export const theirs = 1\n')
  await enter()
  expect(readFileSync(inWorkspace('.roo/tools/escrowfs.js'), 'utf8')).toBe('export const theirs = 1\n')
})
