import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest, sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { migrate } from '../../src/hub/migrate.js'
import { MIGRATIONS } from '../../src/hub/migrations.js'
import { inScope } from '../../src/hub/scope.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { addToken, findToken, listTokens, revokeToken } from '../../src/hub/tokens.js'
import type { Hold, Scope, Stores, Submission } from '../../src/hub/types.js'
import { describeApprovals } from './approvals.js'
import { createChange, type HubClock, newScope, openTwice, setClock } from './fixtures.js'
import { describeHunks } from './hunks.js'
import { describeMachineLedgers, ledgerLines } from './machine-ledgers.js'
import { checkClaims, checkQueue } from './models.js'
import { describeRemoval } from './removal.js'
import { describeSignIns } from './sign-ins.js'

/**
 * The behaviour of every database of a hub.
 * @param open opens one more connection to the same, migrated database
 */
export function describeHub(name: string, open: () => Promise<Database>): void {
  describe(`the stores of a hub on ${name}`, () => {
    const hosts = openTwice(open)
    const stores = (clock?: HubClock, scope: Scope = newScope()): Stores => openStores(hosts()[0], scope, clock)
    const holdSession = async ({ registry }: Stores, session = 'agent-1', host = 'laptop'): Promise<Hold> => ({
      session,
      host,
      epoch: (await registry.open(session, host)).epoch,
    })
    describeRegistry(stores, holdSession)
    describeClaims(stores, holdSession)
    describeQueue(stores, holdSession)
    describeApprovals(hosts)
    describeHunks(hosts)
    describeSignIns(hosts)
    describeMachineLedgers(hosts)
    describeContents(stores)
    describeRemoval(hosts)
    describeTenants(hosts)
    describeDatabase(hosts)
  })
}

type Open = (clock?: HubClock, scope?: Scope) => Stores
type Take = (stores: Stores, session?: string, host?: string) => Promise<Hold>

function describeRegistry(stores: Open, held: Take): void {
  describe('the registry', () => {
    it('gives each owner a higher epoch, and refuses another host while a lease lasts', async () => {
      const { registry } = stores()
      expect((await registry.open('agent-1', 'laptop')).epoch).toBe(1)
      expect((await registry.open('agent-1', 'laptop')).epoch).toBe(2)
      await expect(registry.open('agent-1', 'desk')).rejects.toMatchObject({ code: 'held' })
      await expect(registry.open('../agent', 'desk')).rejects.toMatchObject({ code: 'invalid' })
    })

    it('refuses an owner that was paused past its lease, in every store', async () => {
      const clock = setClock()
      const { registry, claims, queue } = stores(clock)
      const hold: Hold = { session: 'agent-1', host: 'laptop', epoch: (await registry.open('agent-1', 'laptop')).epoch }
      await registry.beat(hold)
      clock.pass(89_000)
      await registry.beat(hold)
      clock.pass(91_000)
      const calls = [
        () => registry.beat(hold),
        () => claims.claim(hold, 'src', 1000),
        () => claims.release(hold, 'src'),
        () => queue.submit(hold, { digest: 'a', revision: 1, changes: [] }),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'fenced' })
      await registry.open('agent-1', 'desk')
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'fenced' })
      expect(await registry.sessions()).toMatchObject([{ id: 'agent-1', host: 'desk', epoch: 2 }])
    })

    it('gives the session of a dead host to another, though the clock was set back', async () => {
      const clock = setClock()
      const { registry } = stores(clock)
      await registry.open('agent-1', 'laptop')
      clock.pass(-3 * 3_600_000)
      expect((await registry.open('agent-1', 'desk')).epoch).toBe(2)
    })

    it("refuses a host that knows another host's epoch", async () => {
      const all = stores()
      const hold = await held(all)
      const thief = { session: hold.session, host: 'thief', epoch: hold.epoch }
      await expect(all.registry.beat(thief)).rejects.toMatchObject({ code: 'fenced' })
    })

    it('keeps intents', async () => {
      const { registry } = stores()
      await registry.putIntent({ id: 'INT-001', name: 'Tax', status: 'PENDING' })
      await registry.putIntent({ id: 'INT-001', name: 'Tax', status: 'COMPLETED' })
      expect(await registry.intents()).toEqual([{ id: 'INT-001', name: 'Tax', status: 'COMPLETED' }])
    })
  })
}

function describeClaims(stores: Open, held: Take): void {
  describe('claims', () => {
    it.each([
      ['src', 'src/a', true],
      ['src/a/b', 'src', true],
      ['src/a', 'src/ab', false],
      ['', 'docs', true],
      ['src//a/', 'src/a', true],
      ['a_', 'ab', false],
      ['a%', 'ab', false],
      ['ä', 'ä/é', true],
    ])('of %j and %j overlap: %s', async (first, second, doOverlap) => {
      const all = stores()
      const [mine, other] = [await held(all, 'one'), await held(all, 'two')]
      const { claim } = await all.claims.claim(mine, first, 60_000)
      const { overlaps } = await all.claims.claim(other, second, 60_000)
      expect(overlaps).toEqual(doOverlap ? [claim] : [])
    })

    it.each(['../x', 'src/../..', '/etc', './src', 'a\0'])('refuse the path %j', async (path) => {
      const all = stores()
      await expect(all.claims.claim(await held(all), path, 1000)).rejects.toMatchObject({ code: 'invalid' })
    })

    it.each([0, -1, Number.NaN, 8 * 3_600_000 + 1])('refuse a duration of %s milliseconds', async (time) => {
      const all = stores()
      await expect(all.claims.claim(await held(all), 'src', time)).rejects.toMatchObject({ code: 'invalid' })
    })

    it('can be ended by a person, which the audit shows', async () => {
      const all = stores()
      const { claim } = await all.claims.claim(await held(all), 'src', 60_000)
      await all.claims.override(claim?.id ?? '', 'Ada')
      expect(await all.claims.list()).toEqual([])
      await expect(all.claims.override(claim?.id ?? '', 'Ada')).rejects.toMatchObject({ code: 'not_found' })
      const [line] = await all.ledger.read('audit', 0)
      expect(JSON.parse(line?.line ?? '')).toMatchObject({ prev: null, record: { act: 'claim ended', by: 'Ada' } })
    })

    it('end within a working day, though the clock was set back', async () => {
      const clock = setClock()
      const all = stores(clock)
      const [mine, other] = [await held(all, 'one'), await held(all, 'two')]
      await all.claims.claim(mine, 'src', 60_000)
      clock.pass(-24 * 3_600_000)
      expect(await all.claims.list()).toEqual([])
      expect((await all.claims.claim(other, 'src', 60_000)).overlaps).toEqual([])
    })

    it('match a model, for any order of claims, releases, overrides and time', () =>
      checkClaims((clock) => stores(clock)))
  })
}

function describeQueue(stores: Open, held: Take): void {
  const submissionOf = (revision: number, ...paths: string[]): Submission => ({
    digest: digest(JSON.stringify([revision, paths])),
    revision,
    changes: paths.map((path) => createChange(path)),
  })

  describe('the queue', () => {
    it('gives the same id to the same change set, and closes the previous one', async () => {
      const all = stores()
      const hold = await held(all)
      const first = await all.queue.submit(hold, submissionOf(1, 'a'))
      expect(await all.queue.submit(hold, submissionOf(1, 'a'))).toEqual(first)
      const second = await all.queue.submit(hold, submissionOf(2, 'a', 'b'))
      expect((await all.queue.get(first.id)).isOpen).toBe(false)
      expect((await all.queue.list('age')).map(({ id }) => id)).toEqual([second.id])
    })

    it('refuses a submission that arrives after a newer one', async () => {
      const all = stores()
      const hold = await held(all)
      await all.queue.submit(hold, submissionOf(2, 'a'))
      await expect(all.queue.submit(hold, submissionOf(1, 'b'))).rejects.toMatchObject({ code: 'superseded' })
    })

    it('refuses an older submission that arrives after an even older one was repeated', async () => {
      const all = stores()
      const hold = await held(all)
      const first = submissionOf(1, 'a')
      const { id } = await all.queue.submit(hold, first)
      expect(await all.queue.submit(hold, Object.assign({}, first, { revision: 3 }))).toEqual({ id })
      await expect(all.queue.submit(hold, submissionOf(2, 'b'))).rejects.toMatchObject({ code: 'superseded' })
      const again = await held(all)
      expect(await all.queue.submit(again, Object.assign({}, first, { revision: 2 }))).toEqual({ id })
      await expect(all.queue.submit(again, submissionOf(1, 'b'))).rejects.toMatchObject({ code: 'superseded' })
    })

    it('names the contents that are missing', async () => {
      const all = stores()
      const hold = await held(all)
      const [bytes, lacked] = [Buffer.from('known'), digest('unknown')]
      await all.contents.put(digest(bytes), bytes)
      const change = createChange('a', { shown: { before: digest(bytes), after: lacked } })
      const submission = { digest: 'd', revision: 1, changes: [change] }
      await expect(all.queue.submit(hold, submission)).rejects.toMatchObject({ code: 'missing', details: [lacked] })
      expect(await all.queue.list('risk')).toEqual([])
    })

    it('keeps the facts of a submission, which are optional', async () => {
      const all = stores()
      const hold = await held(all)
      const facts = {
        agent: 'tester:m-1',
        intents: [{ id: 'INT-001', name: 'Tax\0', scope: ['src/**'], criteria: ['Rounds.'] }],
      }
      const changeWithFacts = Object.assign(createChange('a'), { facts: ['stop: a guard was removed'] })
      const first = await all.queue.submit(hold, { digest: '1', revision: 1, changes: [changeWithFacts], facts })
      expect(await all.queue.get(first.id)).toMatchObject({ facts, changes: [{ facts: changeWithFacts.facts }] })
      await all.queue.decide(first.id, { keys: [changeKey(changeWithFacts)], verdict: 'approved' }, 'Ada')
      const next = await all.queue.submit(hold, { digest: '2', revision: 2, changes: [createChange('a')] })
      const { facts: none, changes } = await all.queue.get(next.id)
      expect([none, changes[0]?.facts, changes[0]?.verdict]).toEqual([undefined, undefined, 'approved'])
    })

    it('keeps a verdict for the same bytes in later submissions, and for no others', async () => {
      const all = stores()
      const hold = await held(all)
      const [a, b] = [createChange('a'), createChange('b')]
      const { id } = await all.queue.submit(hold, { digest: '1', revision: 1, changes: [a, b] })
      await all.queue.decide(id, { keys: [changeKey(a), changeKey(b)], verdict: 'approved' }, 'Ada')
      const other = createChange('b', { after: digest('other bytes') })
      const next = await all.queue.submit(hold, { digest: '2', revision: 2, changes: [a, other] })
      expect((await all.queue.get(next.id)).changes.map(({ verdict }) => verdict)).toEqual(['approved', undefined])
      expect(await all.queue.list('age')).toMatchObject([{ changes: 2, pending: 1 }])
    })

    it('refuses a verdict on a change that is replaced, absent or unseen, or without a reason', async () => {
      const all = stores()
      const hold = await held(all)
      const [seen, unseen] = [createChange('a'), createChange('big', { shown: undefined })]
      const { id } = await all.queue.submit(hold, { digest: '1', revision: 1, changes: [seen, unseen] })
      const decide = (keys: string[], verdict: 'approved' | 'rejected', reason?: string) =>
        all.queue.decide(id, { keys, verdict, reason }, 'Ada')
      await expect(decide(['no such key'], 'approved')).rejects.toMatchObject({ code: 'not_found' })
      await expect(decide([], 'approved')).rejects.toMatchObject({ code: 'invalid' })
      await expect(decide([changeKey(seen)], 'rejected', ' ')).rejects.toMatchObject({ code: 'invalid' })
      await expect(decide([changeKey(seen), changeKey(unseen)], 'approved')).rejects.toMatchObject({ code: 'refused' })
      expect((await all.queue.since(0, 'laptop')).decisions).toEqual([])
      await all.queue.submit(hold, { digest: '2', revision: 2, changes: [seen] })
      await expect(decide([changeKey(seen)], 'approved')).rejects.toMatchObject({ code: 'superseded' })
      expect(await all.ledger.read('audit', 0)).toEqual([])
    })

    it("gives a host the decisions on its own sessions, in order, each once, and appends each to the audit's chain", async () => {
      const all = stores()
      const [mine, other] = [await held(all, 'one', 'laptop'), await held(all, 'two', 'desk')]
      const [a, b] = [createChange('a'), createChange('b')]
      const first = await all.queue.submit(mine, { digest: '1', revision: 1, changes: [a, b] })
      const second = await all.queue.submit(other, { digest: '2', revision: 1, changes: [a] })
      await all.queue.decide(first.id, { keys: [changeKey(a)], verdict: 'approved' }, 'Ada')
      await all.queue.decide(second.id, { keys: [changeKey(a)], verdict: 'approved' }, 'Ada')
      const { decisions, next } = await all.queue.since(0, 'laptop')
      expect(decisions).toMatchObject([{ session: 'one', path: 'a', key: changeKey(a), reviewer: 'Ada' }])
      await all.queue.decide(first.id, { keys: [changeKey(b)], verdict: 'rejected', reason: 'Wrong.' }, 'Bo')
      const later = await all.queue.since(next, 'laptop')
      expect(later.decisions).toMatchObject([{ path: 'b', verdict: 'rejected', reason: 'Wrong.' }])
      expect((await all.queue.since(later.next, 'laptop')).decisions).toEqual([])
      const lines = await all.ledger.read('audit', 0)
      expect(lines.map(({ line }) => JSON.parse(line).prev)).toEqual([
        null,
        ...lines.slice(0, -1).map((each) => each.sha256),
      ])
      expect(lines.map(({ line }) => sha256hex(line))).toEqual(lines.map(({ sha256 }) => sha256))
    })

    it('matches a model, for any order of submissions and decisions', () => checkQueue(() => stores()))
  })
}

function describeContents(stores: Open): void {
  it('contents are stored once, under their own digest only', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const { contents } = stores()
        expect(await contents.put(digest(bytes), bytes)).toBe(true)
        expect(await contents.put(digest(bytes), bytes)).toBe(false)
        expect(Buffer.from((await contents.get(digest(bytes))) ?? [])).toEqual(Buffer.from(bytes))
        await expect(contents.put(digest('other'), Buffer.from('bytes'))).rejects.toMatchObject({ code: 'invalid' })
        expect(await contents.get(digest('other'))).toBeUndefined()
      }),
      { numRuns: 10 },
    ))
}

const TABLES = [
  'sessions',
  'intents',
  'claims',
  'contents',
  'submissions',
  'changes',
  'decisions',
  'ledgers',
  'machine_ledgers',
  'workspaces',
  'votes',
  'review_rules',
]

function describeTenants(hosts: () => [Database, Database]): void {
  /** Puts a row into every table. */
  const fill = async (scope: Scope) => {
    const all = openStores(hosts()[0], scope)
    const { epoch } = await all.registry.open('agent-1', 'laptop')
    const hold = { session: 'agent-1', host: 'laptop', epoch }
    await all.registry.putIntent({ id: 'INT-001', name: 'Tax', status: 'PENDING' })
    await all.claims.claim(hold, 'src', 60_000)
    await all.contents.put(digest('secret'), Buffer.from('secret'))
    await all.rules.set({ approvals: 1, codeowners: null, teams: {} }, 'Root')
    await all.machines.append('laptop', { lines: 0, sha256: '' }, ledgerLines(2))
    const change = createChange('a')
    const { id } = await all.queue.submit(hold, { digest: '1', revision: 1, changes: [change] })
    await all.queue.decide(id, { keys: [changeKey(change)], verdict: 'approved' }, 'Ada')
    return { all, id, key: changeKey(change) }
  }

  describe('a tenant', () => {
    it.each(['tenant', 'workspace'] as const)('sees no row of another %s, in any table', async (part) => {
      const scope = newScope()
      const { id, key } = await fill(scope)
      const stranger = Object.assign(newScope(), part === 'workspace' && { tenant: scope.tenant })
      await inScope(hosts()[0], scope, async (query) => {
        for (const table of TABLES)
          expect((await query.rows(`select 1 as one from escrow.${table}`)).length, table).toBeGreaterThan(0)
      })
      await inScope(hosts()[0], stranger, async (query) => {
        for (const table of TABLES) expect(await query.rows(`select 1 as one from escrow.${table}`), table).toEqual([])
      })
      const other = openStores(hosts()[0], stranger)
      expect(await other.contents.get(digest('secret'))).toBeUndefined()
      await expect(other.queue.get(id)).rejects.toMatchObject({ code: 'not_found' })
      await expect(other.queue.decide(id, { keys: [key], verdict: 'approved' }, 'Eve')).rejects.toMatchObject({
        code: 'not_found',
      })
      expect(
        (
          await other.claims.claim(
            { session: 'agent-1', host: 'laptop', epoch: (await other.registry.open('agent-1', 'laptop')).epoch },
            'src',
            1000,
          )
        ).overlaps,
      ).toEqual([])
      expect(await other.queue.since(0, 'laptop')).toMatchObject({ decisions: [], last: 0 })
      expect([await other.machines.list(), await other.machines.head('laptop')]).toEqual([[], { lines: 0, sha256: '' }])
      await expect(other.machines.read('laptop', 0).next()).rejects.toMatchObject({ code: 'not_found' })
    })

    it("cannot write another's row, change the past, or read tokens", async () => {
      const [scope, stranger] = [newScope(), newScope()]
      await fill(scope)
      const attempts = [
        `insert into escrow.intents (tenant, workspace, id, name, status) values ('${scope.tenant}', '${scope.workspace}', 'x', 'x', 'x')`,
        `update escrow.sessions set tenant = '${stranger.tenant}x'`,
        'select * from escrow.tokens',
        'select * from escrow.sign_ins',
        'select * from escrow.begun_sign_ins',
        `update escrow.sign_in_groups set role = 'admin'`,
        'update escrow.ledgers set line = line',
        'delete from escrow.decisions',
        'update escrow.decisions set verdict = verdict',
        'delete from escrow.ledgers',
        'delete from escrow.machine_ledgers',
        'update escrow.votes set verdict = verdict',
        'delete from escrow.votes',
        'update escrow.review_rules set body = body',
        'delete from escrow.review_rules',
        'insert into escrow.migrations (number, sha256) values (99, 1)',
        'create table escrow.mine (a int)',
      ]
      for (const sql of attempts)
        await expect(
          inScope(hosts()[0], sql.includes('insert into escrow.intents') ? stranger : scope, (query) =>
            query.rows(sql),
          ),
          sql,
        ).rejects.toThrow(/policy|denied/)
    })

    it('may have any name', async () => {
      const name = `'; drop schema escrow; --"\\`
      const { all } = await fill({ tenant: name + newScope().tenant, workspace: name })
      expect((await all.registry.sessions()).length).toBe(1)
    })
  })

  it('a token is found only by its own value, until it is revoked', async () => {
    const [database] = hosts()
    const owner = Object.assign(newScope(), { name: 'laptop', role: 'host' } as const)
    const token = await addToken(database, owner)
    expect(await findToken(database, token)).toMatchObject(owner)
    expect(await findToken(database, sha256hex(token))).toBeUndefined()
    await expect(addToken(database, owner)).rejects.toMatchObject({ code: 'refused' })
    await revokeToken(database, owner)
    expect(await findToken(database, token)).toBeUndefined()
    await expect(revokeToken(database, owner)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining("'escrow hub token list'"),
    })
    const again = await addToken(database, owner)
    expect(again).not.toBe(token)
    const listed = (await listTokens(database)).filter(({ tenant }) => tenant === owner.tenant)
    expect(listed.map(({ revoked }) => revoked)).toEqual([true, false])
    expect(JSON.stringify(listed)).not.toContain(again)
  })
}

function describeDatabase(hosts: () => [Database, Database]): void {
  it('the database is migrated once, however many processes start at the same time', async () => {
    await Promise.all(hosts().map((database) => migrate(database)))
    const [{ number } = {}] = await hosts()[0].transaction((query) =>
      query.rows('select count(*)::float8 as number from escrow.migrations'),
    )
    expect(number).toBe(MIGRATIONS.length)
  })

  it('a newer or unknown database is left unchanged', async () => {
    await expect(migrate(hosts()[0], [])).rejects.toMatchObject({ code: 'refused' })
    await expect(migrate(hosts()[0], ['select 1'])).rejects.toMatchObject({ code: 'refused' })
  })

  it('a transaction runs again if the database asks for it, and after no other failure', async () => {
    let [conflicts, failures] = [0, 0]
    await hosts()[0].transaction(async (query) => {
      conflicts++
      if (conflicts < 3) await query.script(`do $$ begin raise exception 'again' using errcode = '40001'; end $$`)
    })
    expect(conflicts).toBe(3)
    const failing = hosts()[0].transaction(async (query) => {
      failures++
      await query.script('select * from escrow.nothing')
    })
    await expect(failing).rejects.toThrow(/nothing/)
    expect(failures).toBe(1)
  })

  it('a listener wakes after a change by another connection', async () => {
    const [one, two] = hosts()
    let wake: () => void = () => undefined
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    const scope = newScope()
    const { registry, queue } = openStores(two, scope)
    const { epoch } = await registry.open('agent-1', 'laptop')
    let isReady = false
    const end = await one.listen(() => isReady && wake())
    isReady = true
    await queue.submit({ session: 'agent-1', host: 'laptop', epoch }, { digest: '1', revision: 1, changes: [] })
    await woken
    await end()
  })
}
