import { EscrowError } from '../core/api-error.js'
import type { Classified } from '../core/command-class.js'
import { defined } from '../core/defined.js'
import { type IntentsState, selectable, selectableIds } from '../core/intents-state.js'
import { layoutOf } from '../core/layout.js'
import { SessionQuestions } from '../inbox/index.js'
import { parseIntents } from '../intents/index.js'
import type { FileBytes } from '../os/cached-file.js'
import { describeProblem } from '../os/yaml-problem.js'
import { createPolicy, type Policy, type PolicyState, readPolicy } from '../policy/index.js'
import { readStage } from '../stage/index.js'
import type { CallJudge } from './call-judge.js'
import { ReadOnlyJudge } from './judge.js'
import { type JudgeSources, type SessionReading, viewOf } from './judged-session.js'
import { LexicalResolver } from './lexical-resolver.js'

/** The rules of a replay, as texts of their files. */
export interface ReplayRules {
  /** The text of policy.yaml; without one, the defaults. */
  readonly policy?: string | undefined
  /** The text of active_intents.yaml; without one, one intent owns every path. */
  readonly intents?: string | undefined
  /** How messages name the files. */
  readonly names?: { readonly policy: string; readonly intents: string }
}

/** Judges for calls that are not executed. */
export interface ReplayJudges {
  /** The intents that an agent could select; the active one alone if the file names one. */
  readonly intents: readonly string[]
  readonly policy: Pick<Policy, 'settings'>
  /** A judge of calls in an empty session that works for an intent. */
  judge(intent: string | undefined): CallJudge
}

/** No directory of this name exists, so nothing can be read or written through it. */
export const REPLAY_ROOT = '/\u{f8ff}escrow-replay/workspace'
const REPLAY_STATE = '/\u{f8ff}escrow-replay/state'
const SESSION = 'replay'

const EVERY_PATH = `active_intents:
  - id: REPLAY
    name: Any work
    status: IN_PROGRESS
    owned_scope: ["**"]
active_intent_id: REPLAY
`

/**
 * Opens judges of recorded calls by the given rules. They decide as a session's own judge does, by the texts of paths alone: nothing is
 * read of the disk, and nothing written. Paths of the workspace begin with {@link REPLAY_ROOT}.
 * @param classify finds a command's classes, as `classifyCommand` does
 * @throws EscrowError `policy_invalid` for rules that cannot be read
 */
export function openReplayJudges(
  rules: ReplayRules,
  classify?: (command: string | readonly string[]) => Promise<Classified>,
): ReplayJudges {
  const layout = layoutOf(REPLAY_ROOT, REPLAY_STATE)
  const policyState = policyOf(rules)
  const intentsState = intentsOf(rules)
  const sources: JudgeSources = {
    layout,
    requestedRoot: REPLAY_ROOT,
    registry: { state: () => intentsState },
    policyFile: () => policyState,
    ledger: { append: async () => [] },
  }
  const store = readStage(layout, SESSION)
  const judgeFor = (intent: string | undefined): CallJudge => {
    const questions = new SessionQuestions(
      { ...store, enqueue: () => undefined },
      { intentId: intent },
      undefined,
      async () => undefined,
    )
    const policy = createPolicy({
      intents: () => intentsState,
      activeIntentId: () => intent,
      policy: () => policyState,
      base: () => 'fresh',
      answers: () => questions.answers,
      now: () => 0,
    })
    const view = viewOf(layout, new LexicalResolver(REPLAY_ROOT, store.overlay), store, policy)
    const reading: SessionReading = { isHeld: false, intentId: intent, store, reviews: [], questions, view }
    return new ReadOnlyJudge(sources, { policy }, reading, { session: SESSION, ...defined({ intent }) }, classify)
  }
  const judges = new Map<string | undefined, CallJudge>()
  return {
    intents: candidates(intentsState),
    policy: { settings: () => (policyState.ok ? policyState.rules.settings : undefined) },
    judge(intent) {
      const judge = judges.get(intent) ?? judgeFor(intent)
      judges.set(intent, judge)
      return judge
    },
  }
}

function candidates(state: IntentsState): string[] {
  const active = state.ok ? state.activeIntentId : undefined
  return active === undefined || selectable(state, active) ? selectableIds(state) : [active]
}

function policyOf({ policy, names }: ReplayRules): PolicyState {
  const { rules, problem } = readPolicy(REPLAY_ROOT, bytesOf(policy))
  if (rules && !problem) return { ok: true, version: 1, rules }
  const file = names?.policy ?? 'The policy'
  throw invalid(problem ? describeProblem(file, problem) : `${file} cannot be read.`)
}

function intentsOf({ intents = EVERY_PATH, names }: ReplayRules): IntentsState {
  const { state } = parseIntents(bytesOf(intents), 1)
  if (state.ok) return state
  throw invalid(names === undefined ? state.message : state.message.replace(state.file, () => names.intents))
}

function invalid(message: string): EscrowError {
  return new EscrowError('policy_invalid', message, { hint: 'Correct the file, or name another.' })
}

function bytesOf(text: string | undefined): FileBytes {
  return text === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(text) }
}
