import { dirname } from 'node:path'
import { defined } from '../../core/defined.js'
import { type CallJudge, toolError } from '../../index.js'
import { feedbackText, protocolText } from '../hook/context.js'
import { candidatePaths, type HookDeps, hookDeps, intentOption, sessionIdFor } from '../hook/deps.js'
import { readEvent } from '../hook/read-event.js'
import { type Ruling, ruleOnCall } from '../hook/ruling.js'
import { buildShellLine } from '../hook/shell-line.js'
import { modelInTranscript } from '../hook/transcript.js'
import { type ClaudeEvent, type ClaudeToolEvent, parseEvent } from './event-schema.js'
import { plainToolEvent } from './plain-event.js'
import { claudeCall } from './tools.js'

/** The JSON object of an answer. It must be the only text on stdout. */
export type ClaudeAnswer = Readonly<Record<string, unknown>>

/** Grants and denies nothing: Claude Code's own rules apply. */
const NO_DECISION: ClaudeAnswer = {}

/**
 * Answers an event of Claude Code's hooks. If it rejects, the hook must exit with code 2, empty stdout, and the reason on
 * stderr: every version of Claude Code then blocks the tool.
 */
export async function answerClaude(text: string, more: Partial<HookDeps> = {}): Promise<ClaudeAnswer> {
  const deps = hookDeps(more)
  const event = readEvent('Claude Code', text, (value) => plainToolEvent(value) ?? parseEvent(value))
  if (event === undefined) return NO_DECISION
  const root = findWorkspace(event, deps)
  if (root === undefined) return answerOutsideWorkspace(event)
  const isStaged = deps.isInMount(root, deps.env)
  const model = event.hook_event_name === 'PreToolUse' ? modelInTranscript(event.transcript_path) : undefined
  const agent = { tool: 'claude-code', ...defined({ model }) }
  const judge = await deps.openJudge(root, {
    session: sessionIdFor(deps, event.session_id),
    agent,
    ...intentOption(deps),
  })
  switch (event.hook_event_name) {
    case 'PreToolUse':
      await judge.introduceAgent()
      return answerPreToolUse(judge, event, isStaged, deps.env)
    case 'PermissionRequest':
      return answerPermission(judge, event, isStaged)
    case 'PostToolUse':
      return addContext(event, await feedbackText(judge))
    case 'SessionStart':
    case 'UserPromptSubmit':
      return addContext(
        event,
        await protocolText(judge, isStaged, {
          conversation: event.session_id,
          proceed: event.hook_event_name === 'UserPromptSubmit',
        }),
      )
    case 'Stop':
      return answerStop(event.stop_hook_active === true ? '' : await feedbackText(judge))
    case 'WorktreeCreate':
      throw await refuseWorktree(judge, event)
  }
}

/** The workspace of the project that Claude Code was started in, which no tool call changes; else of the call's directory or files. */
function findWorkspace(event: ClaudeEvent, { env, rootOf }: HookDeps): string | undefined {
  const project = env.CLAUDE_PROJECT_DIR ? rootOf(env.CLAUDE_PROJECT_DIR) : undefined
  const found = project ?? rootOf(event.cwd)
  if (found !== undefined || !('tool_input' in event)) return found
  const { file_path, notebook_path } = event.tool_input
  const places = [file_path, notebook_path].flatMap((path) => candidatePaths(path, event.cwd))
  return places.map((place) => rootOf(dirname(place))).find((root) => root !== undefined)
}

function answerOutsideWorkspace(event: ClaudeEvent): ClaudeAnswer {
  if (event.hook_event_name === 'WorktreeCreate') throw new NoWorktree(event.name)
  if (event.hook_event_name !== 'PreToolUse') return NO_DECISION
  return decision(
    'ask',
    "This directory is not an escrow workspace, so nothing can be staged. A person can run 'escrow init' here.",
  )
}

/**
 * Refuses a worktree: it would be on the disk, outside of the session's mount and review, so its writes would not be staged. The
 * mount cannot replace it, because no process outside sees the mount.
 */
export class NoWorktree extends Error {
  override readonly name = 'NoWorktree'
  constructor(requested: string | undefined) {
    const session = requested !== undefined && /^[\w.-]{1,64}$/.test(requested) ? requested : 'NAME'
    super(
      'No Worktree: it would be a copy on the disk that nobody stages or reviews. Work in this directory, where other agents do not see what ' +
        `is staged. For a stage of its own a person starts \`escrow run --session ${session} -- claude\`, and reviews it by that name.`,
    )
  }
}

async function refuseWorktree(judge: CallJudge, { name }: Extract<ClaudeEvent, { hook_event_name: 'WorktreeCreate' }>) {
  const refusal = new NoWorktree(name)
  await judge.refuse({ reason: 'unsupported', message: refusal.message }, { tool: 'WorktreeCreate' })
  return refusal
}

async function answerPreToolUse(
  judge: CallJudge,
  event: ClaudeToolEvent,
  isStaged: boolean,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeAnswer> {
  const ruling = await ruleOnEvent(judge, event, isStaged)
  switch (ruling.kind) {
    case 'pass':
      return { hookSpecificOutput: { hookEventName: 'PreToolUse' } }
    case 'ask':
      return decision('ask', ruling.why)
    case 'refuse': {
      const feedback = await feedbackText(judge)
      return decision(
        'deny',
        toolErrorText(ruling, event.tool_name),
        feedback === '' ? {} : { additionalContext: feedback },
      )
    }
    case 'contain': {
      const command = buildShellLine(judge, ruling.command, env)
      const updatedInput = { ...event.tool_input, command }
      if (!supportsUpdatedInput(env)) return decision('ask', CONTAINED, { updatedInput })
      return { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput } }
    }
  }
}

const CONTAINED =
  'This command waits for a person to allow it. It will run contained: its changes are staged for review, and nothing reaches the disk.'

/** The first version that is known to replace the input without a decision. Earlier ones run the tool with its original input. */
const INPUT_VERSION = [2, 1, 197] as const

/** Whether Claude Code applies its own rules to the replaced command. Only its hooks get the version in this variable. */
function supportsUpdatedInput({ AI_AGENT = '' }: NodeJS.ProcessEnv): boolean {
  const version = /^claude-code_(\d+)-(\d+)-(\d+)_harness$/.exec(AI_AGENT)?.slice(1).map(Number) ?? [0]
  const at = INPUT_VERSION.findIndex((part, each) => part !== version[each])
  return at === -1 || (version[at] ?? 0) > (INPUT_VERSION[at] ?? 0)
}

async function answerPermission(judge: CallJudge, event: ClaudeToolEvent, isStaged: boolean): Promise<ClaudeAnswer> {
  const ruling = await ruleOnEvent(judge, event, isStaged)
  if (ruling.kind !== 'refuse') return NO_DECISION
  const message = toolErrorText(ruling, event.tool_name)
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } } }
}

function ruleOnEvent(judge: CallJudge, event: ClaudeToolEvent, isStaged: boolean): Promise<Ruling> {
  const call = claudeCall(event.tool_name, event.tool_input, event.cwd, event.tool_use_id)
  return ruleOnCall(judge, call, { isStaged, canContain: event.tool_name === 'Bash' })
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

function toolErrorText({ denial }: Extract<Ruling, { kind: 'refuse' }>, tool: string): string {
  return JSON.stringify(toolError({ ...denial, tool }))
}

function addContext({ hook_event_name: hookEventName }: ClaudeEvent, additionalContext: string): ClaudeAnswer {
  return additionalContext === '' ? NO_DECISION : { hookSpecificOutput: { hookEventName, additionalContext } }
}

/** A rejection is a reason for another turn. The host limits the number of turns. */
function answerStop(feedback: string): ClaudeAnswer {
  return feedback === '' ? NO_DECISION : { decision: 'block', reason: feedback }
}
