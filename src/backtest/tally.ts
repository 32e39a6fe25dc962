import type { HistoryHost } from '../agents/history/index.js'
import type { CommandClass } from '../core/command-class.js'
import { withoutSecrets } from '../risk/index.js'
import { shownPath } from './places.js'
import type { ReadCounts } from './read-history.js'
import { OUTCOMES, type Outcome, type ReplayedCall } from './replay.js'
import { type Spread, spreadOf, Top } from './top.js'
import { touchedBy } from './touched.js'

/** One session of a history, in numbers. */
export interface SessionReport {
  readonly id: string
  readonly host: HistoryHost
  /** The directory as recorded. */
  readonly directory: string
  readonly calls: Readonly<Record<Outcome, number>>
  /** Questions to a person; an answer counts for the same call again. */
  readonly prompts: number
  /** Files that its review would have shown. */
  readonly files: number
  /** Commands whose changes the same review would have shown. */
  readonly commands: number
}

export interface RuleReport {
  readonly rule: string
  readonly outcome: Outcome
  readonly count: number
  readonly examples: readonly string[]
}

export interface Listed {
  readonly total: number
  readonly first: readonly { readonly name: string; readonly count: number }[]
}

export interface BacktestReport {
  readonly read: ReadCounts
  readonly calls: Readonly<Record<Outcome | 'all', number>>
  readonly rules: readonly RuleReport[]
  readonly classes: Readonly<Record<CommandClass, number>>
  /** `terminal.network`: the network access of commands that need it. */
  readonly network: boolean | 'ask' | readonly string[]
  readonly prompts: Spread & { readonly total: number; readonly sessionsWithout: number }
  readonly review: Spread
  readonly secrets: Listed
  readonly outside: Listed
  readonly deletions: Listed
  readonly tools: Listed
  readonly sessions: readonly SessionReport[]
}

interface Session {
  readonly id: string
  readonly host: HistoryHost
  readonly directory: string
  readonly calls: Record<Outcome, number>
  readonly questions: Set<string>
  readonly files: Set<string>
  commands: number
}

/** The most different questions and files that are counted in one session. */
const MAX_TEXTS = 10_000
const MAX_EXAMPLES = 3
const MAX_LISTED = 20
const MAX_SHOWN = 160

/** Adds up replayed calls. */
export class Tally {
  readonly #sessions = new Map<string, Session>()
  readonly #rules = new Map<
    string,
    { readonly rule: string; readonly outcome: Outcome; count: number; examples: string[] }
  >()
  readonly #classes: Record<CommandClass, number> = structuredClone(NO_CLASSES)
  readonly #lists = { secrets: new Top(), outside: new Top(), deletions: new Top(), tools: new Top(1_000) }

  add(replayed: ReplayedCall): void {
    const { recorded, outcome, classified, call } = replayed
    const session = this.#sessionOf(replayed)
    session.calls[outcome] += 1
    this.#lists.tools.add(recorded.tool)
    for (const each of classified?.classes ?? []) this.#classes[each] += 1
    this.#addRule(replayed)
    const { files, outside, secrets, deletes } = touchedBy(replayed)
    for (const path of files) if (session.files.size < MAX_TEXTS) session.files.add(path)
    if (outcome === 'staged' && call.command !== undefined) session.commands += 1
    if (outcome === 'asked' && session.questions.size < MAX_TEXTS) session.questions.add(questionOf(replayed))
    for (const path of secrets) this.#lists.secrets.add(path)
    for (const path of outside) this.#lists.outside.add(path)
    if (deletes) this.#lists.deletions.add(describeCall(replayed))
  }

  report(read: ReadCounts, network: BacktestReport['network']): BacktestReport {
    const sessions = [...this.#sessions.values()].map(({ questions, files, ...session }) => ({
      ...session,
      prompts: questions.size,
      files: files.size,
    }))
    const prompts = sessions.map((session) => session.prompts)
    const { secrets, outside, deletions, tools } = this.#lists
    return {
      read,
      calls: totals(sessions),
      rules: [...this.#rules.values()].sort((a, b) => b.count - a.count),
      classes: this.#classes,
      network,
      prompts: {
        ...spreadOf(prompts),
        total: prompts.reduce((sum, each) => sum + each, 0),
        sessionsWithout: prompts.filter((each) => each === 0).length,
      },
      review: spreadOf(sessions.map(({ files }) => files)),
      secrets: listTop(secrets),
      outside: listTop(outside),
      deletions: listTop(deletions),
      tools: listTop(tools),
      sessions,
    }
  }

  #sessionOf({ recorded: { host, session: id, cwd } }: ReplayedCall): Session {
    const key = `${host}\0${id}`
    const known = this.#sessions.get(key)
    if (known) return known
    const calls = structuredClone(NO_CALLS)
    const session = {
      id,
      host,
      directory: cwd ?? '',
      calls,
      questions: new Set<string>(),
      files: new Set<string>(),
      commands: 0,
    }
    this.#sessions.set(key, session)
    return session
  }

  #addRule(replayed: ReplayedCall): void {
    const { outcome, rule } = replayed
    if (rule === undefined) return
    const key = `${outcome} ${rule}`
    const entry = this.#rules.get(key) ?? { rule, outcome, count: 0, examples: [] }
    this.#rules.set(key, entry)
    entry.count += 1
    const example = describeCall(replayed)
    if (entry.examples.length < MAX_EXAMPLES && !entry.examples.includes(example)) entry.examples.push(example)
  }
}

const NO_CALLS = { allowed: 0, staged: 0, asked: 0, refused: 0 } as const satisfies Record<Outcome, number>
const NO_CLASSES = { 'read-only': 0, write: 0, 'build-test': 0, network: 0, destructive: 0, other: 0 } as const

function totals(sessions: readonly Pick<Session, 'calls'>[]) {
  const all = { all: 0, allowed: 0, staged: 0, asked: 0, refused: 0 }
  for (const { calls } of sessions) {
    for (const each of OUTCOMES) {
      all[each] += calls[each]
      all.all += calls[each]
    }
  }
  return all
}

function listTop(top: Top): Listed {
  return { total: top.total, first: top.first(MAX_LISTED) }
}

/** Equal for calls that one answer covers. */
function questionOf({ call, rule = '', denial }: ReplayedCall): string {
  return call.command ?? `${rule} ${denial?.file ?? call.tool}`
}

/** A call in one line: its command, or its tool and paths. Secret values are left out. */
function describeCall({ call, recorded, denial }: ReplayedCall): string {
  const paths = [...(call.writes ?? []).map(({ path }) => path), ...(call.reads ?? []), ...(call.searches ?? [])]
  const text = call.command ?? `${recorded.tool} ${shownPath(denial?.file ?? paths[0] ?? '')}`
  const plain = withoutSecrets(text.replace(/\s+/g, ' ').trim())
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain
}
