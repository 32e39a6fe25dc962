import { AsyncLocalStorage } from 'node:async_hooks'
import type { Answer, Approver, Question } from '../core/api.js'
import { briefCommand, commandLines } from '../core/command-text.js'
import { defined } from '../core/defined.js'
import type { Reviewer } from '../core/people.js'
import { oneLine, printable } from '../core/printable.js'
import type { ToolArguments } from './catalogue.js'

/** A question to a person while a tool call waits. */
export interface HumanQuestion {
  /** `call`: may it run; `access`, `scope`, `command`: a question of policy; `breaker`: may the agent continue after many denials. */
  readonly kind: 'call' | Question['kind'] | 'breaker'
  readonly taskId?: string
  readonly intentId?: string
  readonly tool?: string
  readonly targets: readonly string[]
  /** One sentence. */
  readonly message: string
  /** The changes that the call would make, shortened. */
  readonly detail: string
}

/** A person's answer to a question about a tool call. */
export interface HumanAnswer {
  readonly approved: boolean
  /** The message for the agent. */
  readonly words?: string
  readonly by?: Reviewer
}

/**
 * Asks a person. It must not answer from a host's own approval, a rule or a queued message. Undefined means no answer. An approval lets
 * the call run; its writes are staged and still need a verdict.
 */
export type Human = (question: HumanQuestion) => Promise<HumanAnswer | undefined>

/** The tool call that waits for an answer. */
export interface PendingCall {
  readonly taskId: string
  readonly intentId: string | undefined
  readonly tool: string
  readonly targets: readonly string[]
  readonly params: ToolArguments
}

const pendingCall = new AsyncLocalStorage<PendingCall>()

/** Associates the questions that `run` asks with a call. */
export function withPendingCall<T>(call: PendingCall, run: () => T): T {
  return pendingCall.run(call, run)
}

export function questionOf(kind: HumanQuestion['kind'], call: PendingCall, message: string): HumanQuestion {
  const { taskId, intentId, tool, targets, params } = call
  const detail = previewOf(params)
  return { kind, taskId, tool, targets, message, detail, ...defined({ intentId }) }
}

/** Returns the `approver` of a workspace, which sends policy's questions to the same person. An approval covers one call. */
export function approverOf(human: Human): Approver {
  return async (question) => {
    const answer = await human(policyQuestion(question))
    if (answer === undefined) return undefined
    const { approved, words, by } = answer
    const policyAnswer: Answer = approved
      ? { answer: question.kind === 'scope' ? 'allow' : 'once' }
      : { answer: 'deny', words: words ?? 'A person refused this call.' }
    return { ...policyAnswer, ...defined({ words }), ...(by && { by }) }
  }
}

function policyQuestion(question: Question): HumanQuestion {
  const call = pendingCall.getStore()
  const { intentId } = question
  return {
    kind: question.kind,
    ...askerOf(question),
    detail: detailOf(question, call),
    ...(call && { taskId: call.taskId, tool: call.tool }),
    ...defined({ intentId }),
  }
}

function detailOf(question: Question, call: PendingCall | undefined): string {
  if (question.kind === 'access') return previewOf(call?.params ?? {})
  // The message has a script's first line only. The person decides on all of it, so nothing is left out.
  const isScript = question.kind === 'command' && commandLines(question.command).length > 1
  return isScript ? `${question.command}\n\n${question.why}` : question.why
}

function askerOf(question: Question): Pick<HumanQuestion, 'targets' | 'message'> {
  if (question.kind === 'command') {
    const command = briefCommand(question.command)
    return { targets: [], message: `May this command run? ${command} (${question.rules.join(', ')} asks.)` }
  }
  if (question.kind === 'scope') {
    const message = `May ${question.intentId} also write ${question.globs.join(', ')}?`
    return { targets: question.globs, message }
  }
  const message = `May ${question.path} be written? The rule \`${question.rule}\` asks.`
  return { targets: [question.path], message }
}

const MAX_PREVIEW = 2_000
/** The arguments that contain the content or the command of a tool call. */
const PREVIEW_FIELDS = ['command', 'patch', 'diff', 'content', 'new_string', 'arguments', 'prompt']

/** A preview of a call's changes from its arguments. */
function previewOf(params: ToolArguments): string {
  const values = PREVIEW_FIELDS.filter((name) => params[name] !== undefined).map((name) => params[name])
  const text = (values.length > 0 ? values : [params]).map((each) => (typeof each === 'string' ? each : json(each)))
  const whole = text.join('\n')
  return whole.length > MAX_PREVIEW
    ? `${whole.slice(0, MAX_PREVIEW)}\n… ${whole.length - MAX_PREVIEW} more characters`
    : whole
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2) ?? String(value)
  } catch {
    return String(value)
  }
}

/** The part of `vscode.window` that a modal needs. */
export interface MessageWindow {
  showWarningMessage(
    message: string,
    options: { modal: boolean; detail?: string },
    ...items: string[]
  ): PromiseLike<string | undefined>
}

/** Returns a {@link Human} that asks in a modal with Approve and Reject. Closing it gives no answer, and the call is refused. */
export function modalHuman(window: MessageWindow, by?: Reviewer): Human {
  return async ({ message, intentId, tool, targets, detail }) => {
    const about = [
      ...(intentId === undefined ? [] : [`Intent: ${intentId}`]),
      ...(tool === undefined ? [] : [`Tool: ${tool}`]),
      ...(targets.length === 0 ? [] : [`Target: ${targets.join(', ')}`]),
    ].map(oneLine)
    const options = { modal: true, detail: [...about, '', printable(detail)].join('\n') }
    const chosen = await window.showWarningMessage(oneLine(message), options, 'Approve', 'Reject')
    return chosen === undefined ? undefined : { approved: chosen === 'Approve', ...(by && { by }) }
  }
}
