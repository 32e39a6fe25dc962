import { expect } from 'vitest'
import { sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { landingOf } from '../../src/hub/landing-rows.js'
import { inScope } from '../../src/hub/scope.js'
import { type Database, maybeTextOf, numberOf, type Row, textOf } from '../../src/hub/sql.js'
import type { ReviewRules } from '../../src/hub/types.js'
import { hunksOfKey, SUBJECTS, type World } from './program-world.js'
import type { PersonId } from './programs.js'

interface Voted {
  readonly person: PersonId
  readonly isApproval: boolean
  readonly hunks: readonly string[] | undefined
  readonly token: string | undefined
}

/** A transaction that voted: `xmin` is the same for its votes and its decisions. */
const VOTES = `select xmin::text as act, session, key, verdict, subject, token, hunks from escrow.votes order by number`
const DECISIONS = `select xmin::text as act, seq::float8 as seq, session, key, verdict, hunks, outcome
  from escrow.decisions order by decisions.seq`
const LINES = `select xmin::text as act, number::float8 as number, line from escrow.ledgers
  where chain = 'audit' order by ledgers.number`
const LANDINGS = `select id, session, submission, body, state, attempts::float8 as attempts, branch, commit_id, reason,
  at::text as at, keys, seq::float8 as seq, news::float8 as news from escrow.landings order by landings.seq`
const SUBMITTED = `select seq::float8 as seq from escrow.submissions`

/** Checks the tables after each round against an independent implementation of the rules. */
export class Checks {
  #lines = 0
  #votes = 0
  #decisions = 0
  #rules: ReviewRules = { approvals: 1, codeowners: null, teams: {} }
  readonly #votesOn = new Map<string, Voted[]>()
  /** The current verdict on each part of a change. */
  readonly #verdicts = new Map<string, Map<string, string>>()
  readonly #landed = new Map<string, number>()

  constructor(
    private readonly database: Database,
    private readonly world: World,
  ) {}

  /** @param before the tokens that were revoked before the round. One that was revoked within it may count or not. */
  async afterRound(before: ReadonlySet<string>): Promise<void> {
    const { votes, decisions, lines, landings, submitted } = await inScope(
      this.database,
      this.world.scope,
      async (query) => ({
        votes: await query.rows(VOTES),
        decisions: await query.rows(DECISIONS),
        lines: await query.rows(LINES),
        landings: await query.rows(LANDINGS),
        submitted: await query.rows(SUBMITTED),
      }),
    )
    expect(votes).toHaveLength(this.world.accepted)
    const numbers = [...submitted, ...decisions, ...landings].map((row) => numberOf(row, 'seq'))
    const news = landings.flatMap((row) => (row.news === null ? [] : [numberOf(row, 'news')]))
    expect(new Set([...numbers, ...news]).size).toBe(numbers.length + news.length)
    const approved = new Set(this.#approvedKeys())
    const [newVotes, newDecisions] = [votes.slice(this.#votes), decisions.slice(this.#decisions)]
    const acts = [...new Set(lines.slice(this.#lines).map((row) => textOf(row, 'act')))]
    for (const act of acts) {
      const isOwn = (row: Row) => row.act === act
      this.#readRules(lines.filter(isOwn))
      this.#act(newVotes.filter(isOwn), newDecisions.filter(isOwn), before)
      for (const key of this.#approvedKeys()) approved.add(key)
    }
    expect(newDecisions.every((row) => acts.includes(textOf(row, 'act')))).toBe(true)
    this.#lines = lines.length
    this.#votes = votes.length
    this.#decisions = decisions.length
    this.#checkLandings(landings, approved)
  }

  #readRules(lines: readonly Row[]): void {
    for (const row of lines) {
      const { record } = JSON.parse(textOf(row, 'line'))
      if (record.act === 'review rules set') this.#rules = JSON.parse(record.rules)
    }
  }

  /** One transaction of votes, and its decisions. */
  #act(votes: readonly Row[], decisions: readonly Row[], before: ReadonlySet<string>): void {
    for (const row of votes) {
      const on = `${textOf(row, 'session')} ${textOf(row, 'key')}`
      const person = SUBJECTS.get(textOf(row, 'subject'))
      if (person === undefined) throw new Error('Nobody has this subject.')
      const vote = {
        person,
        isApproval: row.verdict === 'approved',
        hunks: hunksOf(row),
        token: maybeTextOf(row, 'token'),
      }
      this.#votesOn.set(on, [...(this.#votesOn.get(on) ?? []), vote])
    }
    for (const row of decisions) {
      const key = textOf(row, 'key')
      const on = `${textOf(row, 'session')} ${key}`
      const parts = partsOf(key)
      const decided = hunksOf(row) ?? parts
      const verdicts = this.#verdicts.get(on) ?? new Map<string, string>()
      this.#verdicts.set(on, verdicts)
      for (const part of decided) {
        if (row.verdict === 'approved') expect([on, this.#lacks(on, key, part, before)]).toEqual([on, []])
        verdicts.set(part, textOf(row, 'verdict'))
      }
      const all = parts.map((part) => verdicts.get(part))
      const only = new Set(all).size === 1 ? all[0] : 'mixed'
      expect(row.outcome).toBe(all.includes(undefined) ? 'pending' : only)
    }
    for (const row of votes) {
      const key = textOf(row, 'key')
      const on = `${textOf(row, 'session')} ${key}`
      const voted = hunksOf(row) ?? partsOf(key)
      const decided = decisions
        .filter((each) => each.key === key && each.session === row.session && each.verdict === row.verdict)
        .flatMap((each) => hunksOf(each) ?? partsOf(key))
      const { revoked } = this.world
      // A vote decides everything that it can.
      const due = voted.filter((part) => row.verdict === 'rejected' || this.#lacks(on, key, part, revoked).length === 0)
      expect(decided).toEqual(expect.arrayContaining(due))
    }
  }

  /** The missing approvals of a part of a change. */
  #lacks(on: string, key: string, part: string, revoked: ReadonlySet<string>): string[] {
    const votes = (this.#votesOn.get(on) ?? []).filter(({ hunks }) => hunks === undefined || hunks.includes(part))
    const isCounted = ({ isApproval, token }: Voted) => isApproval && (token === undefined || !revoked.has(token))
    const people = new Set(votes.filter(isCounted).map(({ person }) => person))
    const signedIn = (['sam', 'eve'] as const).filter((id) => people.has(id)).length
    // A person who signs in may be one of those with a token, and two of the same name may be one.
    const count = Math.max(people.size - signedIn, Math.min(signedIn, 1))
    const rejections = votes.filter(
      ({ isApproval, person }, index) =>
        !isApproval && !votes.slice(index + 1).some((later) => later.person === person && isCounted(later)),
    )
    const owners = this.#ownersOf(key)
    return [
      ...(count < this.#rules.approvals ? ['approvals'] : []),
      ...(owners !== undefined && !owners.some((id) => people.has(id)) ? ['owners'] : []),
      ...rejections.map(({ person }) => `rejected by ${person}`),
    ]
  }

  /** The owners of a file by the rules of the programs. */
  #ownersOf(key: string): PersonId[] | undefined {
    const { codeowners, teams } = this.#rules
    if (codeowners === null) return undefined
    if (hunksOfKey(key).length === 0) return Object.keys(teams).length > 0 ? ['bo', 'sam'] : ['sam']
    return codeowners.startsWith('*') ? ['ada'] : undefined
  }

  /** The changes of which each part is approved. */
  #approvedKeys(): string[] {
    const all = [...this.#verdicts].filter(([on, verdicts]) =>
      partsOf(on.slice(on.indexOf(' ') + 1)).every((part) => verdicts.get(part) === 'approved'),
    )
    return all.map(([on]) => on)
  }

  /** @param approved the changes that were approved at some time in the round, or before it */
  #checkLandings(rows: readonly Row[], approved: ReadonlySet<string>): void {
    const open: string[] = []
    for (const row of rows) {
      const { id, session, state, changes } = landingOf(row)
      const keys = changes.map((change) => `${session} ${changeKey(change)}`)
      if (state === 'waiting' || state === 'landing') open.push(...keys)
      if (this.#landed.has(id)) expect([state, row.news]).toEqual(['landed', this.#landed.get(id)])
      else if (state === 'landed') {
        expect(keys.filter((key) => !approved.has(key))).toEqual([])
        this.#landed.set(id, numberOf(row, 'news'))
      }
    }
    expect(open).toEqual([...new Set(open)])
  }

  /** Checks the audit, and that each machine has received everything once. */
  async atEnd(): Promise<void> {
    const [{ ledger }] = this.world.stores
    let previous: string | null = null
    for (const [at, { number, sha256, line }] of (await ledger.read('audit', 0)).entries()) {
      expect([number, sha256, JSON.parse(line).prev]).toEqual([at + 1, sha256hex(line), previous])
      previous = sha256
    }
    const { decisions, landings } = await inScope(this.database, this.world.scope, async (query) => ({
      decisions: await query.rows(DECISIONS),
      landings: (await query.rows(LANDINGS)).filter(({ state }) => state === 'landed' || state === 'evicted'),
    }))
    for (const [at, machine] of this.world.machines.entries()) {
      await this.world.pull(machine, this.world.stores[at === 0 ? 0 : 1])
      expect(machine.decisions.map(({ seq }) => seq)).toEqual(decisions.map((row) => numberOf(row, 'seq')))
      const pulled = machine.landings.map(({ id, seq }) => `${id} ${seq}`)
      expect(new Set(pulled).size).toBe(pulled.length)
      expect(pulled).toEqual(expect.arrayContaining(landings.map((row) => `${row.id} ${row.news}`)))
    }
  }
}

/** The parts of a change that are decided separately: its hunks, or all of it. */
function partsOf(key: string): readonly string[] {
  const hunks = hunksOfKey(key)
  return hunks.length > 0 ? hunks : ['all']
}

function hunksOf(row: Row): readonly string[] | undefined {
  const text = maybeTextOf(row, 'hunks')
  return text === undefined ? undefined : JSON.parse(text)
}
