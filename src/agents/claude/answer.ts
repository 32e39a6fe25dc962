import { dirname } from 'node:path'
import { z } from 'zod'
import { defined } from '../../core/defined.js'
import { type CallJudge, toolError } from '../../index.js'
import { protocol, reviewersWords } from '../hook/context.js'
import { type HookDeps, hookDeps, intentFor, placesOf, sessionFor } from '../hook/deps.js'
import { type Ruling, rule } from '../hook/ruling.js'
import { shellLine } from '../hook/shell-line.js'
import { modelInTranscript } from '../hook/transcript.js'
import { type ClaudeEvent, type ClaudeToolEvent, claudeEvent } from './events.js'
import { claudeCall } from './tools.js'

/** The one JSON object of an answer. Nothing else may stand on stdout beside it. */
export type ClaudeAnswer = Readonly<Record<string, unknown>>

/** No word of ours: Claude Code goes by its own rules. */
const NOTHING: ClaudeAnswer = {}

/**
 * Answers one event of Claude Code's hooks. Rejects where that cannot be done; then the hook ends with code 2, nothing on
 * stdout, and the reason on stderr: this holds the tool, whatever the version.
 */
export async function answerClaude(text: string, more: Partial<HookDeps> = {}): Promise<ClaudeAnswer> {
  const deps = hookDeps(more)
  const event = eventOf(text)
  if (event === undefined) return NOTHING
  const root = workspaceOf(event, deps)
  if (root === undefined) return elsewhere(event)
  const isStaged = deps.isInMount(root, deps.env)
  const model = event.hook_event_name === 'PreToolUse' ? modelInTranscript(event.transcript_path) : undefined
  const agent = { tool: 'claude-code', ...defined({ model }) }
  const judge = await deps.openJudge(root, { session: sessionFor(deps, event.session_id), agent, ...intentFor(deps) })
  switch (event.hook_event_name) {
    case 'PreToolUse':
      await judge.introduceAgent()
      return beforeTool(judge, event, isStaged, deps.env)
    case 'PermissionRequest':
      return permission(judge, event, isStaged)
    case 'PostToolUse':
      return addContext(event, await reviewersWords(judge))
    case 'SessionStart':
    case 'UserPromptSubmit':
      return addContext(
        event,
        await protocol(judge, isStaged, {
          conversation: event.session_id,
          goesOn: event.hook_event_name === 'UserPromptSubmit',
        }),
      )
    case 'Stop':
      return answerStop(event.stop_hook_active === true ? '' : await reviewersWords(judge))
    case 'WorktreeCreate':
      throw await noWorktree(judge, event)
  }
}

/** Undefined for an event that is none of ours: it holds nothing and asks nothing. */
function eventOf(text: string): ClaudeEvent | undefined {
  const addContext: unknown = JSON.parse(text)
  const name = named.parse(addContext).hook_event_name
  const known = claudeEvent.options.some((each) => each.shape.hook_event_name.value === name)
  if (!known) return undefined
  const read = claudeEvent.safeParse(addContext)
  if (read.success) return read.data
  throw new Error(`This ${name} is not in the form that Claude Code sends. ${z.prettifyError(read.error)}`)
}

const named = z.looseObject({ hook_event_name: z.string().min(1) })

/** Of the project Claude Code was started in, which no tool call changes; else of where the call stands or points to. */
function workspaceOf(event: ClaudeEvent, { env, rootOf }: HookDeps): string | undefined {
  const project = env.CLAUDE_PROJECT_DIR ? rootOf(env.CLAUDE_PROJECT_DIR) : undefined
  const found = project ?? rootOf(event.cwd)
  if (found !== undefined || !('tool_input' in event)) return found
  const { file_path, notebook_path } = event.tool_input
  const places = [file_path, notebook_path].flatMap((path) => placesOf(path, event.cwd))
  return places.map((place) => rootOf(dirname(place))).find((root) => root !== undefined)
}

function elsewhere(event: ClaudeEvent): ClaudeAnswer {
  if (event.hook_event_name === 'WorktreeCreate') throw new NoWorktree(event.name)
  if (event.hook_event_name !== 'PreToolUse') return NOTHING
  return decision(
    'ask',
    "This directory is not an escrow workspace, so nothing can be staged. A person can run 'escrow init' here.",
  )
}

/**
 * A worktree is on the disk, beyond the session's mount and unknown to its review: what is written there would never be held. The mount itself
 * cannot be given in its place, as no process outside of it sees it.
 */
export class NoWorktree extends Error {
  override readonly name = 'NoWorktree'
  constructor(asked: string | undefined) {
    const session = asked !== undefined && /^[\w.-]{1,64}$/.test(asked) ? asked : 'NAME'
    super(
      'No Worktree: it would be a copy on the disk that nobody stages or reviews. Work in this directory, where other agents do not see what ' +
        `is staged. For a stage of its own a person starts \`escrow run --session ${session} -- claude\`, and reviews it by that name.`,
    )
  }
}

async function noWorktree(judge: CallJudge, { name }: Extract<ClaudeEvent, { hook_event_name: 'WorktreeCreate' }>) {
  const refusal = new NoWorktree(name)
  await judge.refuse({ reason: 'unsupported', message: refusal.message }, { tool: 'WorktreeCreate' })
  return refusal
}

async function beforeTool(
  judge: CallJudge,
  event: ClaudeToolEvent,
  isStaged: boolean,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeAnswer> {
  const ruling = await rulingOn(judge, event, isStaged)
  switch (ruling.kind) {
    case 'pass':
      return { hookSpecificOutput: { hookEventName: 'PreToolUse' } }
    case 'ask':
      return decision('ask', ruling.why)
    case 'refuse': {
      const words = await reviewersWords(judge)
      return decision('deny', recordOf(ruling, event.tool_name), words === '' ? {} : { additionalContext: words })
    }
    case 'contain': {
      const command = shellLine(judge, ruling.command, env)
      const updatedInput = { ...event.tool_input, command }
      if (!supportsUpdatedInput(env)) return decision('ask', CONTAINED, { updatedInput })
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }
    }
  }
}

const CONTAINED =
  'This command waits for a person to allow it. It will run contained: its changes are staged for review, and nothing reaches the disk.'

/** The first version that was shown to take another input where no decision comes with it: before, the tool runs as it was called. */
const HEEDS = [2, 1, 197] as const

/** Whether Claude Code's own rules are asked about the command as it will run. It says its version to its hooks alone in this form. */
function supportsUpdatedInput({ AI_AGENT = '' }: NodeJS.ProcessEnv): boolean {
  const version = /^claude-code_(\d+)-(\d+)-(\d+)_harness$/.exec(AI_AGENT)?.slice(1).map(Number) ?? [0]
  const at = HEEDS.findIndex((part, each) => part !== version[each])
  return at === -1 || (version[at] ?? 0) > (HEEDS[at] ?? 0)
}

async function permission(judge: CallJudge, event: ClaudeToolEvent, isStaged: boolean): Promise<ClaudeAnswer> {
  const ruling = await rulingOn(judge, event, isStaged)
  if (ruling.kind !== 'refuse') return NOTHING
  const message = recordOf(ruling, event.tool_name)
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } } }
}

function rulingOn(judge: CallJudge, event: ClaudeToolEvent, isStaged: boolean): Promise<Ruling> {
  const call = claudeCall(event.tool_name, event.tool_input, event.cwd, event.tool_use_id)
  return rule(judge, call, { isStaged, canContain: event.tool_name === 'Bash' })
}

function decision(kind: 'deny' | 'ask', why: string, more: ClaudeAnswer = {}): ClaudeAnswer {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: kind,
      permissionDecisionReason: why,
      ...more,
    },
  }
}

function recordOf({ denial }: Extract<Ruling, { kind: 'refuse' }>, tool: string): string {
  return JSON.stringify(toolError({ ...denial, tool }))
}

function addContext({ hook_event_name: hookEventName }: ClaudeEvent, additionalContext: string): ClaudeAnswer {
  return additionalContext === '' ? NOTHING : { hookSpecificOutput: { hookEventName, additionalContext } }
}

/** A reviewer's no is worth another round; the host bounds how many there can be. */
function answerStop(words: string): ClaudeAnswer {
  return words === '' ? NOTHING : { decision: 'block', reason: words }
}
