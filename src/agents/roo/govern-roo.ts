import { type HookEngine, intentPrompt } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { errorText } from '../../surface/index.js'
import type { Alias } from './alias.js'
import { Conversations, type ParentOf } from './conversations.js'
import { customTools, type RooCustomTool } from './custom-tools.js'
import { StagedDiffView } from './diff-view.js'
import type { IntentGate } from './intent-gate.js'
import type { LiveMcpHub, LiveMcpResult, LiveTask } from './live.js'
import { LiveCalls } from './live-calls.js'
import { type LiveLimits, LiveLimitsHook } from './live-limits.js'
import { refusalText } from './live-refusal.js'
import { LiveTurns } from './live-turns.js'
import { replaceMethod } from './replace.js'

/** Options of {@link governRoo}. */
export interface GovernRooOptions extends LiveLimits {
  readonly engine: HookEngine
  /** Gives Roo's modules the governed `fs`. Without it Roo would read, remove and move files on the disk. */
  readonly alias: Pick<Alias, 'enter'>
  /** Hides tools from the model while no intent is selected. */
  readonly gate?: IntentGate
  /** Looks up the parent of a task in Roo's history. */
  readonly parentOf?: ParentOf
  /** Whether Roo currently answers its model's questions itself, so that an answer is not a person's. */
  readonly answersItself?: () => Promise<boolean>
}

/** Removes our wrappers from a live object; resolves once the current call has ended. */
export interface Undo {
  dispose(): Promise<void>
}

/** The current task, because the host does not say which task an MCP call belongs to. */
export type CurrentTask = () => Pick<LiveTask, 'taskId' | 'rootTaskId' | 'parentTaskId' | 'cwd'> | undefined

/** A Roo governed by an engine: methods for each new task, its MCP hub and its tools. */
export interface GovernedRoo {
  /** Governs a task that was just created, before its first request. */
  task(task: LiveTask): Undo
  mcpHub(hub: LiveMcpHub, current: CurrentTask): Undo
  readonly customTools: readonly RooCustomTool[]
  /** A task's session. Rejects if it cannot be opened. */
  sessionOf(task: Pick<LiveTask, 'taskId' | 'rootTaskId' | 'parentTaskId' | 'cwd'>): Promise<Session>
}

/** Governs a running, unmodified Roo with an engine: its tasks, MCP tools, and our tools. Call it once for each engine. */
export function governRoo(options: GovernRooOptions): GovernedRoo {
  const { engine, gate, parentOf } = options
  const conversations = new Conversations(parentOf)
  const limits = new LiveLimitsHook(options)
  engine.registerPreHook(limits)
  engine.registerPostHook(limits)
  return {
    task: (task) => governTask(task, conversations.of(task), options),
    mcpHub: (hub, current) => governMcpHub(hub, current, { engine, conversations }),
    customTools: customTools({
      engine,
      conversations,
      ...(gate && { called: (session) => gate.sync(session).catch(() => undefined) }),
    }),
    sessionOf: (task) => engine.sessionOf(conversations.of(task), task.cwd),
  }
}

function governTask(task: LiveTask, taskId: string, options: GovernRooOptions): Undo {
  const { engine, alias, gate, shell } = options
  const { cwd, toolRepetitionDetector: detector, fileContextTracker: tracker } = task
  const model = () => modelOf(task)
  let session: Session | undefined
  const opening = engine.sessionOf(taskId, cwd, model()).then((opened) => {
    session = opened
    return opened
  })
  const serving = opening.then((opened) => shell?.serve(opened))
  serving.catch(() => undefined)
  const callOptions = { engine, catalogue: engine.catalogue, taskId, cwd, model, session: () => session }
  const calls = new LiveCalls({ ...callOptions, shell })
  const turns = new LiveTurns({ engine, taskId, answersItself: options.answersItself })
  const view = task.diffViewProvider
  task.diffViewProvider = new StagedDiffView({ cwd, session: () => opening, admitted: () => calls.assertAdmitted() })
  const undos = [
    () => {
      if (task.diffViewProvider instanceof StagedDiffView) task.diffViewProvider = view
    },
    replaceMethod(detector, 'check', detector.check, (check) => (block) => {
      if (session) alias.enter(session)
      return calls.check(block, check(block))
    }),
    replaceMethod(task, 'ask', task.ask, (ask) => async (type, text, partial, ...more) => {
      const refusal = await calls.answer(type, partial)
      if (refusal) return refusal
      const answer = await ask(type, text, partial, ...more)
      if (partial !== true) await turns.onAnswer(type, answer)
      return calls.afterApproval(type, answer)
    }),
    replaceMethod(task, 'pushToolResultToUserContent', task.pushToolResultToUserContent, (push) => (result) => {
      calls.beforeResult(result)
      return push(result)
    }),
    replaceMethod(task, 'getSystemPrompt', task.getSystemPrompt, (prompt) => async () => {
      await calls.end()
      const section = await opening.then((opened) => promptFor(opened, gate), describeOpenFailure)
      if (session) alias.enter(session)
      return [await prompt(), section, calls.undeliveredFeedback()].filter((part) => part !== '').join('\n\n')
    }),
    // A staged write triggers no watcher, so the host would take a person's next edit of the file for its own.
    ...(tracker
      ? [replaceMethod(tracker, 'markFileAsEditedByRoo', tracker.markFileAsEditedByRoo, () => () => undefined)]
      : []),
  ]
  return {
    async dispose() {
      for (const undo of undos) undo()
      // An interrupted call would block everything that the host does next.
      await calls.end()
      const unserve = await serving.catch(() => undefined)
      await unserve?.()
    },
  }
}

/** The host may not have a model yet. */
function modelOf({ api }: LiveTask): string | undefined {
  try {
    return api?.getModel().id
  } catch {
    return undefined
  }
}

async function promptFor(session: Session, gate: IntentGate | undefined): Promise<string> {
  // Hiding tools is a convenience: calls of tools that could not be hidden are refused.
  await gate?.sync(session).catch(() => undefined)
  return intentPrompt(session)
}

function describeOpenFailure(error: unknown): string {
  const why = errorText(error)
  return `escrow cannot stage changes here: ${why} Tell the person.`
}

interface GovernContext {
  readonly engine: HookEngine
  readonly conversations: Conversations
}

function governMcpHub(hub: LiveMcpHub, current: CurrentTask, { engine, conversations }: GovernContext): Undo {
  const undo = replaceMethod(hub, 'callTool', hub.callTool, (callTool) => async (server, tool, args, ...more) => {
    const toolName = `mcp--${server}--${tool}`
    const task = current()
    if (!task) return errorResult(refusalText(toolName, undefined))
    const params = { server_name: server, tool_name: tool, arguments: args }
    const input = { taskId: conversations.of(task), cwd: task.cwd, toolName, params }
    const result = await engine.runWithHooks(input, () => callTool(server, tool, args, ...more))
    if (!result.allow) return errorResult(refusalText(toolName, result))
    const { value = { content: [] }, message } = result
    if (message === undefined) return value
    const content = { type: 'text', text: message } as const
    return { ...value, content: [...value.content, content] }
  })
  return { dispose: async () => undo() }
}

function errorResult(text: string): LiveMcpResult {
  return { content: [{ type: 'text', text }], isError: true }
}
