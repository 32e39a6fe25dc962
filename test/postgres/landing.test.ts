import { expect, inject, it, onTestFinished } from 'vitest'
import { changeKey } from '../../src/hub/change-key.js'
import { removeRepository, setRepository } from '../../src/hub/index.js'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { describeLanding } from '../landing/conformance.js'
import { landingKit } from '../landing/kit.js'
import { otherDatabase } from '../support/postgres.js'
import { afterStatement } from './after-statement.js'

async function open(): Promise<Database> {
  const database = await openPostgres(otherDatabase(inject('hubDatabase'), 'landing'))
  await migrate(database)
  return database
}

describeLanding('PostgreSQL', open)

it('no landing remains that is queued while the repository is removed', async () => {
  const [one, two] = [await open(), await open()]
  onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
  const kit = await landingKit(one)
  const change = kit.change('src/a.ts', 'a\n', 'A\n')
  const submission = await kit.submit('laptop.one', change)
  let [removal, isRemoved]: [Promise<void> | undefined, boolean] = [undefined, false]
  const remove = async () => {
    await removeRepository(two, kit.scope)
    isRemoved = true
  }
  const isWaiting = async () => {
    const rows = await two.transaction((query) => query.rows('select 1 as one from pg_locks where not granted'))
    return rows.length > 0
  }
  const watched = afterStatement(one, 'insert into escrow.landings', async () => {
    removal ??= remove()
    while (!isRemoved && !(await isWaiting()));
  })
  const { queue } = openStores(watched, kit.scope)
  await queue.decide(submission, { keys: [changeKey(change)], verdict: 'approved' }, 'Ada')
  await removal
  await setRepository(one, Object.assign({ url: kit.remote, branch: 'main', directory: '', checks: [] }, kit.scope))
  expect(await kit.landings()).toEqual({})
})

it('a machine gets each decision, also one between its two reads of an answer', async () => {
  const [one, two] = [await open(), await open()]
  onTestFinished(async () => void (await Promise.all([one.close(), two.close()])))
  const kit = await landingKit(two)
  const [a, b] = [kit.change('src/a.ts', 'a\n', 'A\n'), kit.change('src/b.ts', 'b\n', 'B\n')]
  await kit.approve('laptop.one', a)
  const submission = await kit.submit('laptop.two', b)
  const { queue } = openStores(two, kit.scope)
  const { next } = await queue.since(0, 'laptop')
  let isDone = false
  const watched = afterStatement(one, 'from escrow.decisions join', async () => {
    if (isDone) return
    isDone = true
    await kit.decide(submission, 'approved', b)
    await kit.work1(two)
  })
  const first = await openStores(watched, kit.scope).queue.since(next, 'laptop')
  const second = await queue.since(first.next, 'laptop')
  expect(isDone).toBe(true)
  expect([first, second].flatMap(({ decisions }) => decisions.map(({ path }) => path))).toEqual(['src/b.ts'])
  expect([first, second].flatMap(({ landings }) => landings.map(({ session }) => session)).sort()).toEqual([
    'laptop.one',
    'laptop.two',
  ])
})
