import { expect, it } from 'vitest'
import type { Database } from '../../src/hub/sql.js'
import type { Turn } from '../../src/hub/types.js'
import { turnOf } from '../hub/fixtures.js'
import { type Kit, landingKit } from './kit.js'

/** Landings that a worker has taken, and whose changes a person or the agent then reverts. */
export function describeRejected(databases: () => [Database, Database]): void {
  const setUpApproved = async (database = databases()[0]) => {
    const kit = await landingKit(database)
    const change = kit.change('src/a.ts', 'a\n', 'A\n')
    const submission = await kit.submit('laptop.one', change)
    await kit.decide(submission, 'approved', change)
    return { kit, change, submission }
  }
  /** A worker takes the landing, and cannot reach the repository. */
  const pause = async (kit: Kit) => {
    const turn = await turnOf(databases()[0], kit.scope, 'first')
    await kit.stores.landings.begin(turn, 5)
    return turn
  }

  it.each([
    ['pauses', (kit: Kit, turn: Turn) => kit.stores.landings.pause(turn, 'away', 0)],
    ['dies', () => passTurns(databases()[0])],
  ])('does not land a change that was rejected after a worker took it, if that worker %s', async (_, stop) => {
    const { kit, change, submission } = await setUpApproved()
    const turn = await pause(kit)
    await kit.decide(submission, 'rejected', change)
    await stop(kit, turn)
    await kit.work1()
    expect(kit.read('src/a.ts')).toBe('a\n')
    expect(await kit.landings()).toEqual({})
    await kit.decide(submission, 'approved', change)
    await kit.work1()
    expect(kit.read('src/a.ts')).toBe('A\n')
    expect(await kit.landings()).toMatchObject({ 'laptop.one': { state: 'landed' } })
  })

  it('does not land a version that the agent replaced after a worker took it', async () => {
    const { kit } = await setUpApproved()
    const turn = await pause(kit)
    await kit.submit('laptop.one', kit.change('src/a.ts', 'a\n', 'AA\n'))
    await kit.stores.landings.pause(turn, 'away', 0)
    await kit.work1()
    expect(kit.read('src/a.ts')).toBe('a\n')
  })

  it('lands the other changes of a landing after one was rejected while a worker had it', async () => {
    const kit = await landingKit(databases()[0])
    const [a, b] = [kit.change('src/a.ts', 'a\n', 'A\n'), kit.change('src/b.ts', 'b\n', 'B\n')]
    const submission = await kit.submit('laptop.one', a, b)
    await kit.decide(submission, 'approved', a, b)
    const turn = await pause(kit)
    await kit.decide(submission, 'rejected', a)
    await kit.stores.landings.pause(turn, 'away', 0)
    await kit.work1()
    expect([kit.read('src/a.ts'), kit.read('src/b.ts')]).toEqual(['a\n', 'B\n'])
  })

  it('lands a change that was approved again before the worker returned it', async () => {
    const { kit, change, submission } = await setUpApproved()
    await kit.stores.landings.pause(await pause(kit), 'away', 0)
    await kit.decide(submission, 'rejected', change)
    await kit.decide(submission, 'approved', change)
    const turn = await turnOf(databases()[0], kit.scope, 'second')
    const [first] = await kit.stores.landings.begin(turn, 5)
    await kit.decide(submission, 'rejected', change)
    const [landing] = await kit.stores.landings.begin(turn, 5)
    expect(landing).toMatchObject({ id: first?.id, mayLand: false })
    await kit.decide(submission, 'approved', change)
    await kit.stores.landings.end(turn, [{ id: landing?.id ?? '', state: 'withdrawn' }])
    await kit.stores.landings.pause(turn, 'away', 0)
    await kit.work1()
    expect(kit.read('src/a.ts')).toBe('A\n')
  })

  it('does not push a change that a person rejects during its checks', async () => {
    const [database] = databases()
    const { kit, change, submission } = await setUpApproved()
    let seen = 0
    const watched: Database = Object.assign({}, database, {
      transaction: (async (work) => {
        const isLanding = (await kit.landings())['laptop.one']?.state === 'landing'
        // After it was taken, and before the turn is extended for the push.
        if (isLanding && ++seen === 1) await kit.decide(submission, 'rejected', change)
        return database.transaction(work)
      }) satisfies Database['transaction'],
    })
    await kit.work1(watched)
    expect(seen).toBeGreaterThan(0)
    expect(kit.read('src/a.ts')).toBe('a\n')
    expect(await kit.landings()).toEqual({})
  })

  it('counts changes that were pushed before the rejection as landed', async () => {
    const { kit, change, submission } = await setUpApproved()
    const turn = await pause(kit)
    const { 'laptop.one': landing } = await kit.landings()
    await kit.stores.landings.pause(turn, 'away', 0)
    await kit.decide(submission, 'rejected', change)
    expect(await kit.landings()).toEqual({})
    await kit.stores.landings.end(turn, [{ id: landing?.id ?? '', state: 'landed', commit: 'c' }])
    expect(await kit.landings()).toMatchObject({ 'laptop.one': { state: 'landed', commit: 'c' } })
  })
}

/** Lets the turns of dead workers expire. */
function passTurns(database: Database): Promise<unknown> {
  return database.transaction((query) => query.rows(`update escrow.repositories set until = '-infinity'`))
}
