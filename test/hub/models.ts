import fc from 'fast-check'
import { expect } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import type { Hold, Stores } from '../../src/hub/types.js'
import { createChange, type HubClock, setClock } from './fixtures.js'

const SESSIONS = ['one', 'two', 'three']
const PATHS = ['', 'src', 'src/a', 'src/a/b', 'src/ab', 'docs']
const LONGEST_CLAIM = 60

const CLAIM_STEPS = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('claim' as const),
      session: fc.constantFrom(...SESSIONS),
      path: fc.constantFrom(...PATHS),
      time: fc.integer({ min: 1, max: LONGEST_CLAIM }),
    }),
    fc.record({
      act: fc.constant('release' as const),
      session: fc.constantFrom(...SESSIONS),
      path: fc.constantFrom(...PATHS),
    }),
    fc.record({ act: fc.constant('override' as const), at: fc.nat(5) }),
    fc.record({ act: fc.constant('pass' as const), time: fc.integer({ min: 1, max: LONGEST_CLAIM }) }),
  ),
  { maxLength: 14 },
)

/** Opens every session with a lease that outlasts the steps. */
async function holdsOf({ registry }: Stores): Promise<Map<string, Hold>> {
  const holds = new Map<string, Hold>()
  for (const session of SESSIONS)
    holds.set(session, { session, host: 'laptop', epoch: (await registry.open(session, 'laptop')).epoch })
  return holds
}

function holdOf(holds: ReadonlyMap<string, Hold>, session: string): Hold {
  const hold = holds.get(session)
  if (hold === undefined) throw new Error(`No session ${session}.`)
  return hold
}

/** Whether a path is the other, or an ancestor of it. */
function covers(path: string, other: string): boolean {
  const [above, below] = [path.split('/').filter(Boolean), other.split('/').filter(Boolean)]
  return above.every((segment, index) => below[index] === segment)
}

/** Compares claims with a list of session, path and end. */
export function checkClaims(open: (clock: HubClock) => Stores): Promise<void> {
  return fc.assert(
    fc.asyncProperty(CLAIM_STEPS, async (steps) => {
      const clock = setClock()
      const stores = open(clock)
      const holds = await holdsOf(stores)
      let [model, now]: [{ session: string; path: string; until: number }[], number] = [[], 0]
      for (const step of steps) {
        model = model.filter(({ until }) => until > now)
        if (step.act === 'claim') {
          const { session, path, time } = step
          const others = model.filter(
            (each) => each.session !== session && (covers(each.path, path) || covers(path, each.path)),
          )
          const { claim, overlaps } = await stores.claims.claim(holdOf(holds, session), path, time)
          expect(overlaps.map((each) => each.session).sort()).toEqual(others.map((each) => each.session).sort())
          expect(claim === undefined).toBe(others.length > 0)
          if (claim !== undefined)
            model = [
              ...model.filter((each) => each.session !== session || each.path !== path),
              { session, path, until: now + time },
            ]
        } else if (step.act === 'release') {
          await stores.claims.release(holdOf(holds, step.session), step.path)
          model = model.filter(({ session, path }) => session !== step.session || path !== step.path)
        } else if (step.act === 'override') {
          const claim = (await stores.claims.list())[step.at]
          if (claim !== undefined) {
            await stores.claims.override(claim.id, 'Ada')
            model = model.filter(
              ({ session, path }) => session !== claim.session || `${path}/` !== `${claim.prefix || '/'}`,
            )
          }
        } else {
          now += step.time
          clock.pass(step.time)
          model = model.filter(({ until }) => until > now)
        }
        const listed = await stores.claims.list()
        expect(listed.map(({ session, prefix }) => `${session} ${prefix}`).sort()).toEqual(
          model.map(({ session, path }) => `${session} ${path === '' ? '' : `${path}/`}`).sort(),
        )
      }
    }),
    { numRuns: 15 },
  )
}

const FILES = ['a', 'b']
const QUEUE_STEPS = fc.array(
  fc.oneof(
    fc.record({
      act: fc.constant('submit' as const),
      session: fc.constantFrom(...SESSIONS),
      files: fc.dictionary(fc.constantFrom(...FILES), fc.record({ bytes: fc.nat(2), risk: fc.nat(2) }), {
        noNullPrototype: true,
      }),
    }),
    fc.record({
      act: fc.constant('decide' as const),
      session: fc.constantFrom(...SESSIONS),
      path: fc.constantFrom(...FILES),
      verdict: fc.constantFrom('approved' as const, 'rejected' as const),
    }),
  ),
  { maxLength: 14 },
)

/** Compares the queue with the newest change set of each session and the newest verdict on each change. */
export function checkQueue(open: () => Stores): Promise<void> {
  return fc.assert(
    fc.asyncProperty(QUEUE_STEPS, async (steps) => {
      const stores = open()
      const { queue } = stores
      const holds = await holdsOf(stores)
      const newest = new Map<
        string,
        { id: string; digest: string; risk: number; keys: Map<string, string>; order: number }
      >()
      const verdicts = new Map<string, string>()
      const log: string[] = []
      for (const [at, step] of steps.entries()) {
        const known = newest.get(step.session)
        if (step.act === 'submit') {
          const changes = Object.entries(step.files).map(([path, { bytes, risk }]) =>
            createChange(path, { after: digest(String(bytes)), risk }),
          )
          const whole = digest(JSON.stringify(changes))
          const { id } = await queue.submit(holdOf(holds, step.session), { digest: whole, revision: at + 1, changes })
          expect(id === known?.id).toBe(whole === known?.digest)
          const keys = new Map(changes.map((change) => [change.path, changeKey(change)]))
          const risk = Math.max(0, ...changes.map((change) => change.risk))
          if (whole !== known?.digest) newest.set(step.session, { id, digest: whole, risk, keys, order: at })
        } else {
          const key = known?.keys.get(step.path)
          if (known === undefined || key === undefined) continue
          await queue.decide(known.id, { keys: [key], verdict: step.verdict, reason: 'Why.' }, 'Ada')
          verdicts.set(`${step.session} ${key}`, step.verdict)
          log.push(`${step.session} ${key} ${step.verdict}`)
        }
      }
      const { decisions } = await queue.since(0, 'laptop')
      expect(decisions.map(({ session, key, verdict }) => `${session} ${key} ${verdict}`)).toEqual(log)
      const expected = [...newest.entries()]
        .filter(([, { keys }]) => keys.size > 0)
        .map(([session, { risk, keys, order }]) => {
          const pending = [...keys.values()].filter((key) => !verdicts.has(`${session} ${key}`)).length
          return { session, risk, pending, order }
        })
      const byAge = [...expected].sort((a, b) => Number(a.pending === 0) - Number(b.pending === 0) || a.order - b.order)
      const byRisk = [...expected].sort(
        (a, b) => Number(a.pending === 0) - Number(b.pending === 0) || b.risk - a.risk || a.order - b.order,
      )
      for (const [order, rows] of [
        ['age', byAge],
        ['risk', byRisk],
      ] as const) {
        const listed = await queue.list(order)
        expect(listed.map(({ session, pending }) => `${session} ${pending}`)).toEqual(
          rows.map(({ session, pending }) => `${session} ${pending}`),
        )
      }
    }),
    { numRuns: 15 },
  )
}
