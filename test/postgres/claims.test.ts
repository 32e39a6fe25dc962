import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it } from 'vitest'
import { migrate } from '../../src/hub/migrate.js'
import { openPostgres } from '../../src/hub/postgres.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import type { Hold, Scope } from '../../src/hub/types.js'
import { newScope, openTwice } from '../hub/fixtures.js'

/** Claims of several connections at once, which an embedded database does not have. */

const databases = openTwice(async () => {
  const database = await openPostgres(inject('hubDatabase'))
  await migrate(database)
  return database
})

async function holdOf(database: Database, scope: Scope, session: string): Promise<Hold> {
  const { epoch } = await openStores(database, scope).registry.open(session, 'laptop')
  return { session, host: 'laptop', epoch }
}

/** Claims a path in a transaction that stays open until `end` is called. */
async function claimOpenly(database: Database, scope: Scope, path: string) {
  const hold = await holdOf(database, scope, 'laptop.first')
  const second = await holdOf(database, scope, 'laptop.second')
  let end: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let onReached: () => void = () => undefined
  const isClaimed = new Promise<void>((resolve) => {
    onReached = resolve
  })
  const holding: Database = Object.assign({}, database, {
    transaction: (async (work) =>
      database.transaction(async (query) => {
        const result = await work(query)
        onReached()
        await ended
        return result
      })) satisfies Database['transaction'],
  })
  const done = openStores(holding, scope).claims.claim(hold, path, 60_000)
  await isClaimed
  return { end, done, second }
}

/** Whether a promise settles within a short time. */
function isSoon(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), sleep(500).then(() => false)])
}

const deep = Array.from({ length: 30 }, (_, n) => `d${n}`).join('/')

it.each([
  ['src/a', 'src/ab', false],
  ['src/a', 'test', false],
  [`${deep}/x`, 'd0/other', false],
  ['src/a', 'src/a', true],
  ['src/a', 'src', true],
  ['src/a', 'src/a/b/c', true],
  ['src/a', '', true],
  ['', 'src', true],
  [`${deep}/x`, `${deep}/x/y`, true],
  [`${deep}/x`, deep, true],
])('an uncommitted claim of %j keeps one of %j waiting: %j, and never both get it', async (first, second, waits) => {
  const [database, other] = databases()
  const scope = newScope()
  const { end, done, second: hold } = await claimOpenly(database, scope, first)
  const claimed = openStores(other, scope).claims.claim(hold, second, 60_000)
  await expect(isSoon(claimed.catch(() => undefined))).resolves.toBe(!waits)
  end()
  await done
  expect((await claimed).overlaps).toHaveLength(waits ? 1 : 0)
})

it('a lease passes to another owner only after a claim that it was checked for', async () => {
  const [database, other] = databases()
  const scope = newScope()
  const { end, done } = await claimOpenly(database, scope, 'src')
  const opened = openStores(other, scope).registry.open('laptop.first', 'laptop')
  await expect(isSoon(opened)).resolves.toBe(false)
  end()
  await done
  expect(await opened).toMatchObject({ epoch: 2 })
})
