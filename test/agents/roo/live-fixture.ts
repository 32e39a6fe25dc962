import { EventEmitter } from 'node:events'
import nodeFs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import {
  type Alias,
  aliasModules,
  type GovernedRoo,
  type GovernRooOptions,
  governRoo,
  type LiveAnswer,
  type LiveDiffView,
  type LiveRepetition,
  type LiveTask,
  type LiveToolResult,
  type LiveToolUse,
  type Undo,
} from '../../../src/agents/roo/index.js'
import { HookEngine, type HookEngineOptions } from '../../../src/hooks/index.js'
import { type PatchLine, type PatchOperation, parsePatch } from '../../../src/hooks/patch-parser.js'
import { openWorkspace, type Session, type Workspace } from '../../../src/index.js'
import { type TestWorkspace, testWorkspace } from '../../support/workspace.js'
import type { FakeHost } from './fake-host.js'

/**
 * A fake Roo that behaves as research found the real one to do: its calls of fs and their order, its questions, and its
 * handling of errors. It approves every question, as it does unattended.
 */
export class FakeRoo extends EventEmitter implements LiveTask {
  readonly taskId: string
  readonly rootTaskId?: string
  parentTaskId?: string
  api?: { getModel(): { readonly id: string } }
  /** The next answer, instead of an approval. */
  readonly answers: string[] = []
  readonly cwd: string
  readonly asked: string[] = []
  readonly ran: string[] = []
  readonly results: LiveToolResult[] = []
  readonly recentlyEditedByRoo = new Set<string>()
  readonly customTools = new Map<string, (args: object) => Promise<string>>()
  didRejectTool = false
  /** `preventFocusDisruption`: ask first, then save directly. */
  direct = false
  fs = nodeFs
  /** Runs its commands, if they may run at all. */
  terminal: FakeHost | undefined
  diffViewProvider: LiveDiffView = diskView()
  fileContextTracker = { markFileAsEditedByRoo: (path: string) => void this.recentlyEditedByRoo.add(path) }
  toolRepetitionDetector = detector()
  mcpHub = {
    callTool: async (server: string, tool: string, _args?: Record<string, unknown>) => {
      this.ran.push(`${server}/${tool}`)
      return { content: [{ type: 'text' as const, text: 'from the server' }] }
    },
  }

  constructor(cwd: string, taskId = 'task-1', rootTaskId?: string) {
    super()
    this.cwd = cwd
    this.taskId = taskId
    if (rootTaskId !== undefined) this.rootTaskId = rootTaskId
  }

  /** Auto-approval, a queued message and the CLI all answer like this. */
  async ask(type: string, _text?: string, partial?: boolean): Promise<LiveAnswer> {
    if (partial !== true) this.asked.push(type)
    return { response: (partial !== true && this.answers.shift()) || 'yesButtonClicked' }
  }

  pushToolResultToUserContent(result: LiveToolResult): boolean {
    if (this.results.some(({ tool_use_id }) => tool_use_id === result.tool_use_id)) return false
    this.results.push(result)
    return true
  }

  async getSystemPrompt(): Promise<string> {
    return 'You are Roo.'
  }

  /** Makes one complete call of the model. Returns the text that the model gets for it. */
  async dispatch(name: string, nativeArgs: Record<string, unknown>): Promise<string> {
    const id = `call-${this.results.length + 1}`
    const block: LiveToolUse = { id, name, params: {}, nativeArgs, partial: false }
    const push = (content: string) =>
      this.pushToolResultToUserContent({ type: 'tool_result', tool_use_id: id, content })
    if (this.didRejectTool) push('Skipping tool due to user rejecting a previous tool.')
    else if (name.startsWith('mcp--')) await this.#mcp(name, nativeArgs, push)
    else await this.#checked(block, nativeArgs, push)
    this.didRejectTool = false
    const result = this.results.find(({ tool_use_id }) => tool_use_id === id)
    return typeof result?.content === 'string' ? result.content : expect.unreachable(`no result for ${name}`)
  }

  async #checked(block: LiveToolUse, args: Record<string, unknown>, push: (text: string) => void): Promise<void> {
    const { allowExecution, askUser } = this.toolRepetitionDetector.check(block)
    if (!allowExecution && askUser) {
      await this.ask(askUser.messageKey, askUser.messageDetail)
      return push(JSON.stringify({ status: 'error', error: 'Tool call repetition limit reached' }))
    }
    const tool = this.#tools[block.name]
    const custom = this.customTools.get(block.name)
    if (tool) await tool(args, push)
    else if (custom) push(await custom(args))
    else push(`Unknown tool "${block.name}".`)
  }

  async #approved(type: string, push: (text: string) => void): Promise<boolean> {
    const { response, text } = await this.ask(type, '{}', false)
    if (response === 'yesButtonClicked') return true
    push(JSON.stringify({ status: 'denied', feedback: text }))
    this.didRejectTool = true
    return false
  }

  /** An error is serialized by its own toJSON if it has one. */
  async #trying(push: (text: string) => void, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const isOwnError = error instanceof Error && 'toJSON' in error
      const serialized = isOwnError
        ? error
        : error instanceof Error
          ? { message: error.message, stack: error.stack }
          : error
      push(JSON.stringify({ status: 'error', message: 'The tool execution failed', error: JSON.stringify(serialized) }))
      await this.diffViewProvider.reset()
    }
  }

  async #exists(path: string): Promise<boolean> {
    return this.fs.promises.access(path).then(
      () => true,
      () => false,
    )
  }

  /** As in the host: goes up to an existing directory, whatever access reports, then down again. */
  async #makeParents(path: string): Promise<void> {
    const missing: string[] = []
    for (let dir = dirname(path), steps = 0; !(await this.#exists(dir)); dir = dirname(dir)) {
      if (steps++ > 100) throw new Error('the loop that never ends')
      missing.unshift(dir)
    }
    for (const dir of missing) await this.fs.promises.mkdir(dir)
  }

  async #save(relPath: string, content: string, push: (text: string) => void): Promise<void> {
    const path = resolve(this.cwd, relPath)
    const isNew = !(await this.#exists(path))
    const view = this.diffViewProvider
    view.editType = isNew ? 'create' : 'modify'
    // Outside of its try, as in the host: if this throws, the dispatcher has no result.
    if (isNew) await this.#makeParents(path)
    await this.#trying(push, async () => {
      if (!this.direct) {
        if (!view.isEditing) await view.open(relPath)
        await view.update(content, true)
        view.scrollToFirstDiff()
      }
      if (!(await this.#approved('tool', push))) return view.revertChanges()
      await (this.direct ? view.saveDirectly(relPath, content, false) : view.saveChanges())
      this.fileContextTracker.markFileAsEditedByRoo(relPath)
      push(await view.pushToolWriteResult(this, this.cwd, isNew))
      await view.reset()
    })
  }

  async #update({ path, chunks, moveTo }: Extract<PatchOperation, { type: 'update' }>, push: (text: string) => void) {
    const from = resolve(this.cwd, path)
    const text = await this.fs.promises.readFile(from, 'utf8')
    const sideLines = (lines: readonly PatchLine[], op: '-' | '+') =>
      lines.filter((line) => line.op !== op).map((line) => `${line.text}\n`)
    const content = chunks.reduce(
      (text, { lines }) => text.replace(sideLines(lines, '+').join(''), () => sideLines(lines, '-').join('')),
      text,
    )
    if (moveTo === undefined) return this.#save(path, content, push)
    if (!(await this.#approved('tool', push))) return
    const to = resolve(this.cwd, moveTo)
    await this.fs.promises.mkdir(dirname(to), { recursive: true })
    await this.fs.promises.writeFile(to, content)
    await this.fs.promises.unlink(from)
    push(`moved to ${moveTo}`)
  }

  /** A part of a call that streams in, which the tool already displays. */
  async stream(path: string, content: string): Promise<void> {
    if (!(await this.#exists(resolve(this.cwd, path)))) await this.#makeParents(resolve(this.cwd, path))
    if (!this.diffViewProvider.isEditing) await this.diffViewProvider.open(path)
    await this.diffViewProvider.update(content, false)
  }

  readonly #tools: Record<string, (args: Record<string, unknown>, push: (text: string) => void) => Promise<void>> = {
    write_to_file: ({ path, content }, push) => this.#save(String(path), String(content), push),
    edit: ({ file_path, old_string, new_string }, push) =>
      this.#trying(push, async () => {
        const path = String(file_path)
        // It reads the file again, right before it writes.
        const text = await this.fs.promises.readFile(resolve(this.cwd, path), 'utf8')
        const lines = text.replaceAll('\r\n', '\n')
        await this.#save(
          path,
          lines.replace(String(old_string), () => String(new_string)),
          push,
        )
      }),
    read_file: ({ path }, push) =>
      this.#trying(push, async () => {
        if (!(await this.#approved('tool', push))) return
        push(await this.fs.promises.readFile(resolve(this.cwd, String(path)), 'utf8'))
      }),
    apply_patch: ({ patch }, push) =>
      this.#trying(push, async () => {
        // A refused file ends only its own part; the dispatcher keeps the first result of all parts.
        for (const operation of parsePatch(String(patch))) {
          const path = resolve(this.cwd, operation.path)
          if (operation.type === 'add') await this.#save(operation.path, operation.content, push)
          if (operation.type === 'update') await this.#update(operation, push)
          if (operation.type !== 'delete') continue
          if (!(await this.#exists(path))) push(`Failed: no file ${operation.path}`)
          else if (await this.#approved('tool', push)) {
            await this.fs.promises.unlink(path)
            push(`Successfully deleted ${operation.path}`)
          }
        }
      }),
    generate_image: ({ path }, push) =>
      this.#trying(push, async () => {
        if (!(await this.#approved('tool', push))) return
        await this.fs.promises.writeFile(resolve(this.cwd, `${path}.png`), 'image')
        push('made')
      }),
    ask_followup_question: async ({ question }, push) =>
      push((await this.ask('followup', String(question), false)).response),
    execute_command: ({ command }, push) =>
      this.#trying(push, async () => {
        if (!(await this.#approved('command', push))) return
        if (!this.terminal) this.ran.push(String(command))
        push((await this.terminal?.run(String(command), this.cwd)) ?? 'ran')
      }),
  }

  async #mcp(name: string, args: Record<string, unknown>, push: (text: string) => void): Promise<void> {
    const [, server = '', tool = ''] = name.split('--')
    if (!(await this.#approved('use_mcp_server', push))) return
    const { content } = await this.mcpHub.callTool(server, tool, args)
    push(content.map((each) => ('text' in each ? each.text : '')).join('\n'))
  }
}

/** The host's own implementation, as far as it matters: it writes to the disk before anybody is asked. */
function diskView(): LiveDiffView {
  const failIfUsed = async () => expect.unreachable("the host's own diff view was used")
  return {
    isEditing: false,
    originalContent: undefined,
    open: failIfUsed,
    update: failIfUsed,
    saveChanges: failIfUsed,
    saveDirectly: failIfUsed,
    pushToolWriteResult: failIfUsed,
    revertChanges: failIfUsed,
    scrollToFirstDiff: () => undefined,
    reset: async () => undefined,
  }
}

/** The third of identical calls in a row is not run. */
function detector() {
  let [last, count] = ['', 0]
  return {
    check({ name, nativeArgs }: LiveToolUse): LiveRepetition {
      const call = JSON.stringify([name, nativeArgs])
      count = call === last ? count + 1 : 0
      last = call
      if (count < 3) return { allowExecution: true }
      return { allowExecution: false, askUser: { messageKey: 'mistake_limit_reached', messageDetail: name } }
    },
  }
}

export interface LiveFixture {
  readonly project: TestWorkspace
  readonly engine: HookEngine
  readonly roo: FakeRoo
  readonly governed: GovernedRoo
  readonly session: Session
  readonly undo: Undo
  workspace(): Workspace
  stagedChanges(): Promise<string[]>
}

export interface LiveOptions extends Omit<GovernRooOptions, 'engine' | 'alias'> {
  readonly engine?: Partial<HookEngineOptions>
  readonly policy?: string
  readonly files?: Readonly<Record<string, string>>
  readonly intents?: string
  readonly intent?: string | null
}

/** A governed task in its own workspace, whose modules have the governed fs. */
export async function liveFixture(options: LiveOptions = {}): Promise<LiveFixture> {
  const { engine: more, policy, files, intents, intent = 'INT-001', ...limits } = options
  const project = testWorkspace(files, intents)
  if (policy !== undefined) project.write('.orchestration/policy.yaml', policy)
  let opened: Workspace | undefined
  const open: HookEngineOptions['open'] = async (root, how) => {
    opened = await openWorkspace(root, how)
    return opened
  }
  const engine = new HookEngine({ open, host: 'roo', ...more })
  onTestFinished(() => engine.close())
  const roo = new FakeRoo(project.root)
  const session = await engine.sessionOf('task-1', project.root)
  if (intent !== null) await session.selectIntent(intent)
  const alias = aliasHostModules(session)
  roo.fs = alias.fs
  const governed = governRoo({ engine, alias, ...limits })
  const undo = governed.task(roo)
  onTestFinished(() => undo.dispose())
  await roo.getSystemPrompt()
  for (const tool of governed.customTools) {
    const context = { mode: 'code', task: roo }
    roo.customTools.set(tool.name, async (args) => tool.execute(tool.parameters.parse(args), context))
  }
  const workspace = () => opened ?? expect.unreachable('nothing was opened')
  const stagedChanges = async () => (await session.changes()).changes.map(({ kind, path }) => `${kind} ${path}`)
  return { project, engine, roo, governed, session, undo, workspace, stagedChanges }
}

/** The modules that the host's bundle would get. */
function aliasHostModules(session: Session): Alias {
  const alias = aliasModules(session, { modules: ['/no/such/bundle.js'], readsAreShown: false })
  onTestFinished(() => alias.uninstall())
  return alias
}
