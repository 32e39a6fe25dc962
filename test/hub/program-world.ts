import { digest, sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { HubError } from '../../src/hub/hub-error.js'
import { removeRepository, setRepository, takeTurn } from '../../src/hub/repositories.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { addToken, revokeToken } from '../../src/hub/tokens.js'
import type {
  Decision,
  Hold,
  LandingNews,
  OpenLanding,
  Proof,
  QueuedChange,
  Stores,
  Turn,
} from '../../src/hub/types.js'
import { diffFile } from '../../src/review/index.js'
import { newScope } from './fixtures.js'
import { digestOf, type PersonId, RULES, SESSIONS, type Step, versionOf } from './programs.js'

const HOST = 'laptop'
/** The possible answers of a store if steps run at the same time. */
const REFUSALS: readonly string[] = ['refused', 'superseded', 'not_found', 'fenced']
const NAMES: Readonly<Record<PersonId, string>> = { ada: 'Ada', bo: 'Bo', cy: 'Cy', sam: 'Sam', eve: 'Sam' }
export const SUBJECTS: ReadonlyMap<string, PersonId> = new Map([
  ...(['ada', 'bo', 'cy'] as const).map((id) => [`name ${NAMES[id]}`, id] as const),
  ...(['sam', 'eve'] as const).map((id) => [`issuer ${id}`, id] as const),
])
const TOKEN_HOLDERS: readonly PersonId[] = ['ada', 'bo', 'cy']

/** The records that a machine has pulled. */
interface Machine {
  cursor: number
  readonly decisions: Decision[]
  readonly landings: LandingNews[]
  turn: Promise<void>
}

/** A workspace, and the state that the test expects: two hub processes, two machines, and a worker. */
export class World {
  readonly scope = newScope()
  readonly stores: readonly [Stores, Stores]
  readonly machines: readonly Machine[] = [0, 1].map(() => ({
    cursor: 0,
    decisions: [],
    landings: [],
    turn: Promise.resolve(),
  }))
  /** Votes that a hub has accepted. */
  accepted = 0
  /** Hashes of revoked tokens. */
  readonly revoked = new Set<string>()
  readonly #holds = new Map<string, Hold>()
  readonly #open = new Map<string, { id: string; changes: readonly QueuedChange[] }>()
  readonly #tokens = new Map<PersonId, string>()
  #revision = 0
  #turn: Turn | undefined
  #taken: readonly OpenLanding[] = []

  constructor(private readonly databases: readonly [Database, Database]) {
    this.stores = [openStores(databases[0], this.scope), openStores(databases[1], this.scope)]
  }

  /** @param rules the number of the first rules */
  async begin(rules: number): Promise<void> {
    const [{ registry, contents }] = this.stores
    for (const session of SESSIONS)
      this.#holds.set(session, { session, host: HOST, epoch: (await registry.open(session, HOST)).epoch })
    for (const version of [0, 1, 2]) await contents.put(digestOf(version), Buffer.from(versionOf(version)))
    await this.#setRepository(0)
    const files = { a: 1, b: 1 }
    await this.run([{ act: 'rules', at: rules }])
    for (const session of SESSIONS) await this.run([{ act: 'submit', session, files }])
  }

  /** Leaves no work for the worker of another program. */
  async end(): Promise<void> {
    await removeRepository(this.databases[0], this.scope).catch(passRefusal)
  }

  /** Runs steps at the same time, every second one on the other hub. */
  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) if (step.act === 'vote') await this.#ensureToken(step.person)
    const works = steps.map((step, index) => this.#step(step, index % 2 === 0 ? 0 : 1).catch(passRefusal))
    await Promise.all(works)
  }

  /** Lets a machine pull the records that it lacks. */
  pull(machine: Machine, { queue }: Stores): Promise<void> {
    machine.turn = machine.turn.then(async () => {
      const { decisions, landings, next } = await queue.since(machine.cursor, HOST)
      machine.decisions.push(...decisions)
      machine.landings.push(...landings)
      machine.cursor = next
    })
    return machine.turn
  }

  async #step(step: Step, at: 0 | 1): Promise<void> {
    const [stores, database] = [this.stores[at], this.databases[at]]
    switch (step.act) {
      case 'submit':
        return this.#submit(stores, step)
      case 'vote':
        return this.#vote(stores, step)
      case 'revoke':
        return this.#revoke(database, step.person)
      case 'rules':
        return stores.rules.set(RULES[step.at] ?? { approvals: 1, codeowners: null, teams: {} }, 'Root')
      case 'pull':
        return this.pull(this.machines[at] ?? fail(), stores)
      case 'claim':
        return void (await stores.claims.claim(this.#hold(step.session), step.path, 60_000))
      case 'release':
        return stores.claims.release(this.#hold(step.session), step.path)
      case 'repository':
        return step.isSet ? this.#setRepository(at) : removeRepository(database, this.scope)
      case 'prune':
        return void (await stores.contents.removeUnused(1))
      default:
        return this.#work(stores, database, step)
    }
  }

  async #submit({ queue }: Stores, { session, files }: Extract<Step, { act: 'submit' }>): Promise<void> {
    const changes = changesOf(files)
    const revision = ++this.#revision
    const { id } = await queue.submit(this.#hold(session), {
      digest: digest(JSON.stringify(changes)),
      revision,
      changes,
    })
    this.#open.set(session, { id, changes })
  }

  async #vote({ queue }: Stores, step: Extract<Step, { act: 'vote' }>): Promise<void> {
    const open = this.#open.get(step.session)
    if (open === undefined) return
    const whole = open.changes.filter(({ path }) => step.on === 'all' || path.endsWith(step.on))
    const first = step.on === 'hunks' ? open.changes.find(({ path }) => path === 'a') : undefined
    if (whole.length === 0 && first === undefined) return
    const ids = first === undefined ? [] : hunksOf(first).filter((_, index) => step.hunks.includes(index))
    const hunks = first === undefined ? [] : [{ key: changeKey(first), ids }]
    const request = { keys: whole.map(changeKey), hunks, verdict: step.verdict, reason: 'Why.' }
    await queue.decide(open.id, request, NAMES[step.person], this.#proof(step.person))
    this.accepted += whole.length + hunks.length
  }

  #proof(person: PersonId): Proof {
    const token = this.#tokens.get(person)
    if (TOKEN_HOLDERS.includes(person)) return { token: token ?? fail() }
    return { subject: `issuer ${person}`, teams: person === 'sam' ? ['@shop/docs'] : [] }
  }

  async #ensureToken(person: PersonId): Promise<void> {
    if (!TOKEN_HOLDERS.includes(person) || this.#tokens.has(person)) return
    const identity = Object.assign({ name: NAMES[person], role: 'reviewer' as const }, this.scope)
    this.#tokens.set(person, sha256hex(await addToken(this.databases[0], identity)))
  }

  async #revoke(database: Database, person: PersonId): Promise<void> {
    const token = this.#tokens.get(person)
    if (token === undefined) return
    await revokeToken(database, Object.assign({ name: NAMES[person] }, this.scope))
    this.#tokens.delete(person)
    this.revoked.add(token)
  }

  #setRepository(at: 0 | 1): Promise<void> {
    const repository = { url: '/srv/shop.git', branch: 'main', directory: '', checks: [] }
    return setRepository(this.databases[at], Object.assign(repository, this.scope))
  }

  /** The steps of a worker. It may have lost its turn. */
  async #work({ landings }: Stores, database: Database, step: Step): Promise<void> {
    if (step.act === 'turn' || this.#turn === undefined) {
      const turn = await takeTurn(database, `worker ${this.#revision++}`)
      if (turn?.workspace === this.scope.workspace) this.#turn = turn
    }
    const turn = this.#turn
    if (turn === undefined) return
    if (step.act === 'pause') await landings.pause(turn, 'away', 0).finally(() => this.#leave(turn))
    if (step.act === 'begin') {
      this.#taken = await landings.begin(turn, 5).catch((error: unknown) => {
        this.#leave(turn)
        throw error
      })
      if (this.#taken.length === 0) this.#leave(turn)
    }
    if (step.act !== 'end') return
    for (const landing of this.#taken) {
      const { id } = landing
      const mayLand = landing.mayLand && (await landings.renew(turn, [landing]))
      if (!mayLand) await landings.end(turn, [{ id, state: 'withdrawn' }])
      else if (step.state === 'landed') await landings.end(turn, [{ id, state: 'landed', commit: `commit ${id}` }])
      else await landings.end(turn, [{ id, state: 'evicted', reason: 'No.', paths: [] }])
    }
  }

  /** Clears the state that the worker has of a turn. */
  #leave(turn: Turn): void {
    if (this.#turn === turn) this.#turn = undefined
  }

  #hold(session: string): Hold {
    return this.#holds.get(session) ?? fail()
  }
}

/** The changes of a submission. */
function changesOf(files: { readonly a: number; readonly b: number }): QueuedChange[] {
  const [before, after] = [digestOf(0), digestOf(files.a)]
  const a: QueuedChange = { path: 'a', kind: 'modify', before, after, risk: 0, shown: { before, after } }
  const shown = { before: null, after: digestOf(files.b) }
  const b: QueuedChange = { path: 'docs/b', kind: 'create', before: null, after: shown.after, risk: 0, shown }
  return [...(files.a > 0 ? [a] : []), ...(files.b > 0 ? [b] : [])]
}

const KNOWN = [1, 2].map((version) => {
  const [change] = changesOf({ a: version, b: 0 })
  const { hunks } = diffFile(Buffer.from(versionOf(0)), Buffer.from(versionOf(version)), 'a')
  return [changeKey(change ?? fail()), hunks.map(({ id }) => id)] as const
})
const HUNKS: ReadonlyMap<string, readonly string[]> = new Map(KNOWN)

/** The hunks of a change, by its key; none if it is decided as a whole. */
export function hunksOfKey(key: string): readonly string[] {
  return HUNKS.get(key) ?? []
}

function hunksOf(change: QueuedChange): readonly string[] {
  return hunksOfKey(changeKey(change))
}

function passRefusal(error: unknown): void {
  if (!(error instanceof HubError) || !REFUSALS.includes(error.code)) throw error
}

function fail(): never {
  throw new Error('The program has no such thing.')
}
