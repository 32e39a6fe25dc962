import { type HookEngine, intentPrompt } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { conversationOf, customTools, type RooCustomTool } from './custom-tools.js'
import { StagedDiffView } from './diff-view.js'
import type { IntentGate } from './intent-gate.js'
import type { LiveMcpHub, LiveMcpResult, LiveTask } from './live.js'
import { LiveCalls } from './live-calls.js'
import { type LiveLimits, LiveLimitsHook } from './live-limits.js'
import { recordOf } from './live-refusal.js'
import { replaceMethod } from './replace.js'

/** What a running Roo is governed by. */
export interface GovernRooOptions extends LiveLimits {
  readonly engine: HookEngine
  /** Hides tools from the model while there is no intent. */
  readonly gate?: IntentGate
}

/** Takes back what was put on a live object; resolves once a call under way has ended. */
export interface Undo {
  dispose(): Promise<void>
}

/** Which task an MCP call belongs to: the host does not say. */
export type CurrentTask = () => Pick<LiveTask, 'taskId' | 'rootTaskId' | 'cwd'> | undefined

/** A Roo under an engine: what is handed each new task, its MCP hub and its registry of tools. */
export interface GovernedRoo {
  /** Of a task that was just created, before its first request. */
  task(task: LiveTask): Undo
  mcpHub(hub: LiveMcpHub, current: CurrentTask): Undo
  readonly customTools: readonly RooCustomTool[]
}

/** Brings a running, unforked Roo under an engine: its tasks, its MCP tools, and tools of ours. Once for each engine. */
export function governRoo(options: GovernRooOptions): GovernedRoo {
  const { engine, gate } = options
  const limits = new LiveLimitsHook(options, engine.catalogue)
  engine.registerPreHook(limits)
  engine.registerPostHook(limits)
  return {
    task: (task) => governTask(task, options),
    mcpHub: (hub, current) => governMcpHub(hub, current, engine),
    customTools: customTools({
      engine,
      ...(gate && { called: (session) => gate.sync(session).catch(() => undefined) }),
    }),
  }
}

function governTask(task: LiveTask, { engine, gate, aliased, shell }: GovernRooOptions): Undo {
  const { cwd, toolRepetitionDetector: detector, fileContextTracker: tracker } = task
  const taskId = conversationOf(task)
  let session: Session | undefined
  const opening = engine.sessionOf(taskId, cwd).then((opened) => {
    session = opened
    return opened
  })
  const serving = opening.then((opened) => shell?.serve(opened))
  serving.catch(() => undefined)
  const judging = { engine, catalogue: engine.catalogue, taskId, cwd, session: () => session }
  const calls = new LiveCalls({ ...judging, readsItself: aliased !== true, shell })
  const view = task.diffViewProvider
  task.diffViewProvider = new StagedDiffView({ cwd, session: () => opening, admitted: () => calls.admitted() })
  const undos = [
    () => {
      if (task.diffViewProvider instanceof StagedDiffView) task.diffViewProvider = view
    },
    replaceMethod(detector, 'check', detector.check, (check) => (block) => calls.check(block, check(block))),
    replaceMethod(task, 'ask', task.ask, (ask) => async (type, text, partial, ...more) => {
      const refusal = await calls.answer(type, partial)
      return refusal ?? calls.approved(type, await ask(type, text, partial, ...more))
    }),
    replaceMethod(task, 'pushToolResultToUserContent', task.pushToolResultToUserContent, (push) => (result) => {
      calls.pushing(result)
      return push(result)
    }),
    replaceMethod(task, 'getSystemPrompt', task.getSystemPrompt, (prompt) => async () => {
      const words = await calls.words()
      const section = await opening.then((opened) => promptFor(opened, gate), unopened)
      return [await prompt(), section, words].filter((part) => part !== '').join('\n\n')
    }),
    // A staged write moves no watcher: the host would take a person's next edit of the file for its own.
    ...(tracker
      ? [replaceMethod(tracker, 'markFileAsEditedByRoo', tracker.markFileAsEditedByRoo, () => () => undefined)]
      : []),
  ]
  return {
    async dispose() {
      for (const undo of undos) undo()
      // A call that was broken off would hold on to all that the host does next.
      await engine.runPostHook({ taskId })
      const unserve = await serving.catch(() => undefined)
      await unserve?.()
    },
  }
}

async function promptFor(session: Session, gate: IntentGate | undefined): Promise<string> {
  // The gate is comfort: what it could not hide is refused.
  await gate?.sync(session).catch(() => undefined)
  return intentPrompt(session)
}

function unopened(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error)
  return `Nothing can be changed here: ${why} Tell the person.`
}

function governMcpHub(hub: LiveMcpHub, current: CurrentTask, engine: HookEngine): Undo {
  const undo = replaceMethod(hub, 'callTool', hub.callTool, (callTool) => async (server, tool, args, ...more) => {
    const toolName = `mcp--${server}--${tool}`
    const task = current()
    if (!task) return refused(recordOf(toolName, undefined))
    const params = { server_name: server, tool_name: tool, arguments: args }
    const input = { taskId: conversationOf(task), cwd: task.cwd, toolName, params }
    const result = await engine.runWithHooks(input, () => callTool(server, tool, args, ...more))
    if (!result.allow) return refused(recordOf(toolName, result))
    const { value = { content: [] }, message } = result
    if (message === undefined) return value
    const words = { type: 'text', text: message } as const
    return { ...value, content: [...value.content, words] }
  })
  return { dispose: async () => undo() }
}

function refused(text: string): LiveMcpResult {
  return { content: [{ type: 'text', text }], isError: true }
}
