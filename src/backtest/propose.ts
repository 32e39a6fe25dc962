import { createTwoFilesPatch } from 'diff'
import { type Document, isSeq, parseDocument } from 'yaml'
import { sha256hex } from '../../overlay/index.js'
import { isObject } from '../core/is-object.js'
import type { ReplayRules } from '../judge/index.js'
import { type Learned, Learner } from './learn.js'
import { listOf, type RecordedCall } from './recorded.js'
import type { ReplayedCall } from './replay.js'
import { type Backtest, runBacktest } from './run.js'
import type { BacktestReport } from './tally.js'

/** The results of rules on the held-out part of a history. */
export interface Figures extends Pick<BacktestReport, 'calls'> {
  readonly prompts: number
  readonly promptsPerSession: number
  readonly sessions: number
}

/** Rules that ask less often, with their effect on sessions that they were not learned from. */
export interface Proposal {
  readonly learned: Learned
  /** The files of the rules, before and after, as unified diffs; empty where nothing is proposed. */
  readonly diffs: { readonly policy: string; readonly intents: string }
  readonly before: Figures
  readonly after: Figures
}

/**
 * Learns rules from one half of the sessions, and tries them on the other. A digest of its name puts a session in a half, so that the same
 * history gives the same proposal.
 */
export async function propose(backtest: Backtest): Promise<Proposal> {
  const { rules } = backtest
  const learner = new Learner()
  await runBacktest({ ...backtest, only: (call) => !isHeldOut(call), seen: (call: ReplayedCall) => learner.add(call) })
  const learned = learner.learned()
  const texts = { policy: withRules(rules.policy, learned), intents: withIntent(rules.intents, learned) }
  const names = rules.names ?? { policy: 'policy.yaml', intents: 'active_intents.yaml' }
  const changed: ReplayRules = { ...texts, names }
  const [before, after] = [
    await runBacktest({ ...backtest, only: isHeldOut }),
    await runBacktest({ ...backtest, rules: changed, only: isHeldOut }),
  ]
  return {
    learned,
    diffs: {
      policy: diffOf(names.policy, rules.policy, texts.policy),
      intents: diffOf(names.intents, rules.intents, texts.intents),
    },
    before: figuresOf(before),
    after: figuresOf(after),
  }
}

function isHeldOut({ host, session }: RecordedCall): boolean {
  return Number.parseInt(sha256hex(`${host}\0${session}`).slice(0, 2), 16) % 2 === 1
}

function figuresOf({ calls, prompts, sessions }: BacktestReport): Figures {
  return { calls, prompts: prompts.total, promptsPerSession: prompts.mean, sessions: sessions.length }
}

function diffOf(name: string, before = '', after = ''): string {
  if (before === after) return ''
  const patch = createTwoFilesPatch(name, name, before, after, 'now', 'proposed')
  return patch.slice(patch.indexOf('--- '))
}

function withRules(text: string | undefined, { classes, access }: Learned): string | undefined {
  if (classes.length === 0 && access.length === 0) return text
  const file = parseDocument(text ?? '')
  for (const each of classes) file.setIn(['terminal', 'classes', each], 'allow')
  for (const each of access) file.setIn(['access', each], 'allow')
  return textOf(file)
}

/** A new intent for the learned paths that no intent owns yet; without a file, one with that intent alone. */
function withIntent(text: string | undefined, { scope }: Learned): string | undefined {
  const owned = text === undefined ? [] : scopesIn(text)
  const missing = scope.filter((glob) => !owned.includes(glob) && !owned.includes('**'))
  if (missing.length === 0) return text
  const file = parseDocument(text ?? 'active_intents: []\n')
  const intents = file.get('active_intents')
  if (!isSeq(intents)) return text
  intents.flow = false
  const id = nextId(text ?? '')
  intents.add(file.createNode({ id, name: 'Work as in past sessions', status: 'PENDING', owned_scope: missing }))
  return textOf(file)
}

function scopesIn(text: string): unknown[] {
  const value: unknown = parseDocument(text).toJS()
  const intents = isObject(value) ? listOf(value.active_intents) : []
  return intents.flatMap((intent) => (isObject(intent) ? listOf(intent.owned_scope) : []))
}

function nextId(text: string): string {
  const numbers = [...text.matchAll(/INT-(\d{1,9})/g)].map(([, number]) => Number(number))
  return `INT-${String(Math.max(0, ...numbers) + 1).padStart(3, '0')}`
}

function textOf(file: Document): string {
  return file.toString({ lineWidth: 0 })
}
