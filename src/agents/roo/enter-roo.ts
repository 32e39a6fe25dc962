import { realpathSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { defined } from '../../core/defined.js'
import { HookEngine, type Human, withFeedback } from '../../hooks/index.js'
import { openWorkspace, type Session, type Workspace } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { type Alias, aliasModules } from './alias.js'
import { Conversations, type TaskOrigin } from './conversations.js'
import type { RooCustomTool } from './custom-tools.js'
import { type GovernedRoo, governRoo, type Undo } from './govern-roo.js'
import { IntentGate, type KeptNames } from './intent-gate.js'
import type { LiveMcpHub, LiveProvider, LiveTask } from './live.js'
import { isPersonFile } from './person-files.js'
import { ESCROW_SHELL, type RooShell, rooShell } from './shell.js'
import { offerTools } from './tools-file.js'

/** Roo's provider, which owns its tasks and settings: `sidebarProvider` of the extension's exports. */
export interface RooProvider extends LiveProvider {
  on(event: 'taskCreated', listener: (task: LiveTask) => void): unknown
  off?(event: 'taskCreated', listener: (task: LiveTask) => void): unknown
  getCurrentTask(): Pick<LiveTask, 'taskId' | 'rootTaskId' | 'parentTaskId' | 'cwd'> | undefined
  /** Undefined until its MCP servers have started. */
  getMcpHub?(): LiveMcpHub | undefined
}

/** Options of {@link enterRoo}. */
export interface EnterRooOptions {
  /** The workspace: a directory with `.orchestration`. */
  readonly root: string
  /** Roo's code: its extension directory or its bundle. It must not be loaded yet. */
  readonly modules: readonly string[]
  /**
   * Loads and activates Roo once its modules get the governed `fs`, and returns the exports of its extension. Omit it for a host with its
   * own dispatcher.
   */
  readonly load?: () => unknown
  /** Absolute paths of directories outside the workspace that Roo writes: its storage and logs. */
  readonly hostDirectories?: readonly string[]
  /** Absolute path of `escrow-sh`, for Roo's commands; this package's by default. */
  readonly shell?: string
  /** Asks a person for approvals that policy requires. Without it such calls are refused. */
  readonly human?: Human
  /** The tool's name in the ledger; `roo-code` by default. */
  readonly tool?: string
  /** Roo's version, for the ledger. */
  readonly version?: string
  /**
   * Persists which tools are hidden from the model while no intent is selected. Without it no tool is hidden, and calls without an intent
   * are refused.
   */
  readonly hidden?: KeptNames
}

/** A tool call of a host with its own dispatcher. */
export interface HostCallInput extends TaskOrigin {
  readonly toolName: string
  readonly params: Readonly<Record<string, unknown>>
  readonly modelId?: string
}

/** A governed Roo. */
export interface EnteredRoo {
  readonly engine: HookEngine
  /** The workspace, for reviews, commits and the ledger. */
  readonly workspace: Workspace
  readonly alias: Alias
  /** The result of `load`. */
  readonly roo: unknown
  /** The tools escrowfs adds; Roo loads them from `.roo/tools/escrowfs.js`. */
  readonly customTools: readonly RooCustomTool[]
  /** Why Roo's own terminal is refused: its shell could not be replaced. Undefined if commands run contained. */
  readonly commandsRefused: string | undefined
  /** The session of a task. Rejects if the session cannot be opened. */
  sessionOf(task: TaskOrigin): Promise<Session>
  /**
   * Runs a tool of the host's own dispatcher as one call: judges it before, and records it after.
   * @returns the text for the model: the tool's result, or the refusal as JSON
   */
  runTool(call: HostCallInput, run: () => Promise<string>): Promise<string>
  /** Restores Roo's own modules and shell. Staged changes stay in their sessions. */
  leave(): Promise<void>
}

/**
 * Governs an unmodified Roo Code: its modules get the governed `fs` and `child_process`, `load` starts it, and each task gets a session.
 * Before a task has a session, Roo reads the workspace through one without staged changes. Outside tool calls a person may change Roo's
 * own files through its user interface; Roo changes nothing else in the workspace.
 * @throws EscrowError `no_orchestration` for a root without `.orchestration`; `unsupported` if modules cannot be governed
 */
export async function enterRoo(options: EnterRooOptions): Promise<EnteredRoo> {
  const root = realpathSync(options.root)
  const workspace = await openWorkspace(root)
  const agent = { tool: options.tool ?? 'roo-code', ...(options.version && { toolVersion: options.version }) }
  const { human, shell: shellPath = ESCROW_SHELL } = options
  const engine = new HookEngine({ open: openWorkspace, host: 'roo', agent, ...(human && { human }) })
  const undos: (() => Promise<unknown> | unknown)[] = [() => engine.close(), () => workspace.close()]
  const leave = async () => {
    for (const undo of undos.splice(0).reverse()) await undo()
  }
  try {
    const idle = await engine.sessionOf(IDLE, root)
    const sessions = new Map<string, Session>()
    let provider: RooProvider | undefined
    const alias = aliasModules(() => sessions.get(provider?.getCurrentTask()?.taskId ?? '') ?? idle, {
      modules: options.modules,
      hostDirectories: options.hostDirectories ?? [],
      readsAreShown: false,
      shell: { path: shellPath },
      outsideCalls: (path) => (isPersonFile(relative(root, path).split(sep).join('/')) ? 'disk' : 'refuse'),
    })
    undos.push(() => alias.uninstall())
    const roo: unknown = await options.load?.()
    provider = findProvider(roo)
    const parents = new Conversations(provider && parentLookup(provider))
    const { shell, refused } = await installShell(provider, shellPath)
    if (shell) undos.push(() => shell.dispose())
    const gate = createGate(provider, options.hidden, engine)
    const governed = governRoo({
      engine,
      alias,
      ...(gate && { gate }),
      ...(shell && { shell }),
      ...(provider && { parentOf: parentLookup(provider), answersItself: answersItself(provider) }),
    })
    if (provider) undos.push(governProvider(provider, governed, sessions))
    undos.push(offerTools(governed.customTools, { fs: alias.fs, root }))
    return {
      engine,
      workspace,
      alias,
      roo,
      leave,
      customTools: governed.customTools,
      commandsRefused: refused,
      sessionOf: (task) => governed.sessionOf({ ...task, cwd: root }),
      runTool: (call, run) => runTool({ engine, alias, root }, { ...call, taskId: parents.of(call) }, run),
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/** The session for Roo's reads before a task has one. */
const IDLE = 'roo-idle'

function findProvider(roo: unknown): RooProvider | undefined {
  if (typeof roo !== 'object' || roo === null || !('sidebarProvider' in roo)) return undefined
  return isProvider(roo.sidebarProvider) ? roo.sidebarProvider : undefined
}

function isProvider(value: unknown): value is RooProvider {
  if (typeof value !== 'object' || value === null) return false
  return ['on', 'getState', 'getCurrentTask'].every((name) => typeof Reflect.get(value, name) === 'function')
}

/** The task that delegated a task of the history. */
function parentLookup({ contextProxy }: RooProvider): (taskId: string) => string | undefined {
  return (taskId) => {
    const history: unknown = contextProxy.getValue('taskHistory')
    const found: unknown = Array.isArray(history) ? history.find((item) => item?.id === taskId) : undefined
    if (typeof found !== 'object' || found === null || !('parentTaskId' in found)) return undefined
    return typeof found.parentTaskId === 'string' ? found.parentTaskId : undefined
  }
}

function answersItself(provider: RooProvider): () => Promise<boolean> {
  return async () => (await provider.getState()).alwaysAllowFollowupQuestions === true
}

/** Without a provider, Roo has no terminal to govern. */
async function installShell(
  provider: RooProvider | undefined,
  path: string,
): Promise<{ shell?: RooShell; refused?: string }> {
  if (!provider) return {}
  try {
    return { shell: await rooShell({ provider, path }) }
  } catch (error) {
    return { refused: errorText(error) }
  }
}

function createGate(provider: RooProvider | undefined, memory: KeptNames | undefined, engine: HookEngine) {
  if (!provider || !memory) return undefined
  const { contextProxy } = provider
  const disabledTools: KeptNames = {
    get: () => namesOf(contextProxy.getValue('disabledTools')),
    set: (names) => contextProxy.setValue('disabledTools', names),
  }
  return new IntentGate({ catalogue: engine.catalogue, disabledTools, memory })
}

function namesOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined
}

/** Governs each task when it is created, and the MCP hub when it exists. */
function governProvider(provider: RooProvider, governed: GovernedRoo, sessions: Map<string, Session>) {
  const tasks = new Set<Undo>()
  const hubs = new Map<LiveMcpHub, Undo>()
  const onTaskCreated = (task: LiveTask) => {
    const hub = provider.getMcpHub?.()
    if (hub && !hubs.has(hub))
      hubs.set(
        hub,
        governed.mcpHub(hub, () => provider.getCurrentTask()),
      )
    const undo = governed.task(task)
    tasks.add(undo)
    void governed.sessionOf(task).then(
      (session) => sessions.set(task.taskId, session),
      // The task itself reports the failure.
      () => undefined,
    )
    task.on?.('taskAborted', () => {
      tasks.delete(undo)
      sessions.delete(task.taskId)
      void undo.dispose()
    })
  }
  provider.on('taskCreated', onTaskCreated)
  return async () => {
    provider.off?.('taskCreated', onTaskCreated)
    for (const undo of [...tasks, ...hubs.values()]) await undo.dispose()
  }
}

interface DispatchContext {
  readonly engine: HookEngine
  readonly alias: Alias
  readonly root: string
}

async function runTool(
  { engine, alias, root }: DispatchContext,
  { taskId, toolName, params, modelId }: HostCallInput,
  run: () => Promise<string>,
): Promise<string> {
  const input = { taskId, cwd: root, toolName, params, ...defined({ modelId }) }
  alias.enter(await engine.sessionOf(taskId, root, modelId))
  const { allow, error, message = '', toolResult } = await engine.runPreHook(input, 'record')
  if (!allow) return error ? JSON.stringify(error) : message
  if (toolResult !== undefined) return toolResult
  let failure: unknown
  const result = await run().catch((error: unknown) => {
    failure = error
    return JSON.stringify(error instanceof Error && !('toJSON' in error) ? { message: error.message } : error)
  })
  const { feedback } = await engine.runPostHook({ taskId }, failure)
  return withFeedback(result, feedback)
}
