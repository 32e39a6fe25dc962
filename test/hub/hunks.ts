import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { setRepository } from '../../src/hub/repositories.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import type { QueuedChange, ReviewRules } from '../../src/hub/types.js'
import { diffFile } from '../../src/review/index.js'
import { createChange, newScope } from './fixtures.js'

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index}`)
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

/** A change of three hunks, with both contents. */
export function threeHunks(path: string) {
  const [before, after] = [textOf(LINES), textOf(LINES.map((line, index) => (index % 25 === 5 ? `new ${line}` : line)))]
  const shown = { before: digest(before), after: digest(after) }
  const change: QueuedChange = { path, kind: 'modify', before: shown.before, after: shown.after, risk: 0, shown }
  const ids = diffFile(Buffer.from(before), Buffer.from(after), path).hunks.map(({ id }) => id)
  const [h1 = '', h2 = '', h3 = ''] = ids
  expect(ids).toEqual([h1, h2, h3])
  return { change, key: changeKey(change), before, after, ids, h1, h2, h3 }
}

/** Decisions by hunk, on every database. */
export function describeHunks(hosts: () => [Database, Database]): void {
  /** A workspace with one submission: a change of three hunks, and others. */
  const workspace = async ({
    rules = {},
    others = [],
  }: {
    rules?: Partial<ReviewRules>
    others?: QueuedChange[]
  } = {}) => {
    const scope = newScope()
    const stores = openStores(hosts()[0], scope)
    await stores.rules.set(Object.assign({ approvals: 1, codeowners: null, teams: {} }, rules), 'Root')
    const file = threeHunks('src/a.ts')
    for (const text of [file.before, file.after]) await stores.contents.put(digest(text), Buffer.from(text))
    const { epoch } = await stores.registry.open('agent-1', 'laptop')
    const hold = { session: 'agent-1', host: 'laptop', epoch }
    const changes = [file.change, ...others]
    const { id } = await stores.queue.submit(hold, { digest: '1', revision: 1, changes })
    const vote = (name: string, verdict: 'approved' | 'rejected', ...ids: string[]) =>
      stores.queue.decide(id, { keys: [], hunks: [{ key: file.key, ids }], verdict, reason: `By ${name}.` }, name)
    const whole = (name: string, verdict: 'approved' | 'rejected', ...on: QueuedChange[]) =>
      stores.queue.decide(
        id,
        { keys: (on.length > 0 ? on : [file.change]).map(changeKey), verdict, reason: 'Why.' },
        name,
      )
    const decisions = async () =>
      (await stores.queue.since(0, 'laptop')).decisions.map(
        ({ verdict, hunks, outcome }) =>
          `${verdict} ${hunks?.map((each) => file.ids.indexOf(each) + 1).join() ?? 'all'}: ${outcome}`,
      )
    const first = async () => (await stores.queue.get(id)).changes[0]
    return { ...file, scope, stores, hold, id, vote, whole, decisions, first }
  }

  describe('a decision by hunk', () => {
    it('names nobody for a hunk that they did not approve', async () => {
      const at = await workspace({ rules: { approvals: 2 } })
      await at.vote('Ada', 'approved', at.h1)
      await at.vote('Cy', 'approved', at.h2, at.h3)
      await at.vote('Cy', 'approved', at.h1)
      await at.whole('Bo', 'approved')
      await at.whole('Dee', 'approved')
      const { decisions } = await at.stores.queue.since(0, 'laptop')
      expect(decisions.map(({ hunks, approvers }) => ({ hunks, approvers }))).toEqual([
        { hunks: [at.h1], approvers: ['Ada', 'Cy', 'Bo', 'Dee'] },
        { hunks: undefined, approvers: ['Bo', 'Dee'] },
        { hunks: undefined, approvers: ['Bo', 'Dee'] },
      ])
      await at.vote('Ada', 'approved', at.h2, at.h1)
      const last = (await at.stores.queue.since(0, 'laptop')).decisions.at(-1)
      expect(last).toMatchObject({ hunks: [at.h1, at.h2], approvers: ['Cy', 'Bo', 'Dee', 'Ada'] })
    })

    it('names who approved some of its hunks with these hunks, if nobody else approved them', async () => {
      const at = await workspace({ rules: { approvals: 2 } })
      await at.vote('Ada', 'approved', at.h1, at.h3)
      await at.vote('Cy', 'approved', at.h2)
      await at.vote('Eve', 'approved', at.h2)
      await at.whole('Dee', 'approved')
      const { decisions } = await at.stores.queue.since(0, 'laptop')
      expect(decisions.map(({ hunks, approvers, parts }) => ({ hunks, approvers, parts }))).toEqual([
        { hunks: [at.h2], approvers: ['Cy', 'Eve', 'Dee'], parts: undefined },
        {
          ...{ hunks: undefined, approvers: ['Dee'] },
          parts: [
            { name: 'Ada', hunks: [at.h1, at.h3] },
            { name: 'Cy', hunks: [at.h2] },
            { name: 'Eve', hunks: [at.h2] },
          ],
        },
      ])
    })

    it('applies to these hunks only: the change is approved once each of them is, and the audit names them', async () => {
      const at = await workspace()
      await at.vote('Ada', 'approved', at.h3, at.h1, at.h1)
      expect(await at.decisions()).toEqual(['approved 1,3: pending'])
      const change = await at.first()
      expect(change?.verdict).toBeUndefined()
      expect(change?.hunks).toMatchObject([
        { id: at.h1, verdict: 'approved', reviewer: 'Ada' },
        { id: at.h3, verdict: 'approved', reviewer: 'Ada' },
      ])
      expect(await at.stores.queue.list('risk')).toMatchObject([{ pending: 1 }])
      await at.vote('Bo', 'approved', at.h2)
      expect(await at.decisions()).toEqual(['approved 1,3: pending', 'approved 2: approved'])
      expect(await at.first()).toMatchObject({ verdict: 'approved' })
      expect(await at.stores.queue.list('risk')).toMatchObject([{ pending: 0 }])
      const lines = (await at.stores.ledger.read('audit', 1)).map(({ line }) => JSON.parse(line).record)
      expect(lines).toMatchObject([
        { act: 'approved', by: 'Ada', path: 'src/a.ts', key: at.key, hunks: [at.h1, at.h3] },
        { act: 'approved', by: 'Bo', hunks: [at.h2] },
      ])
    })

    it('gives the agent a reason for each rejected hunk, and leaves a file with both verdicts unapproved', async () => {
      const at = await workspace()
      await at.vote('Ada', 'rejected', at.h2)
      expect(await at.first()).toMatchObject({ hunks: [{ id: at.h2, verdict: 'rejected', reason: 'By Ada.' }] })
      await at.vote('Bo', 'approved', at.h1, at.h3)
      expect(await at.decisions()).toEqual(['rejected 2: pending', 'approved 1,3: mixed'])
      expect(await at.first()).toMatchObject({ verdict: 'mixed', missing: { rejectedBy: ['Ada'] } })
      expect(await at.stores.queue.list('risk')).toMatchObject([{ pending: 0 }])
      const { decisions } = await at.stores.queue.since(0, 'laptop')
      expect(decisions[0]).toMatchObject({ hunks: [at.h2], reason: 'By Ada.' })
    })

    it("that is a rejection overrides others' approvals of the whole, which approve the other hunks", async () => {
      const at = await workspace()
      await at.vote('Bo', 'rejected', at.h2)
      await at.whole('Ada', 'approved')
      expect(await at.decisions()).toEqual(['rejected 2: pending', 'approved 1,3: mixed'])
      await at.whole('Bo', 'approved')
      expect((await at.decisions()).at(-1)).toBe('approved all: approved')
      await at.vote('Cy', 'rejected', at.h1)
      expect((await at.decisions()).at(-1)).toBe('rejected 1: mixed')
      await at.whole('Cy', 'rejected')
      expect((await at.decisions()).at(-1)).toBe('rejected all: rejected')
    })

    it('needs as many people for each hunk as a change does; an approval of the whole counts for each', async () => {
      const at = await workspace({ rules: { approvals: 2 } })
      await at.vote('Ada', 'approved', at.h1)
      await at.vote('Ada', 'approved', at.h1)
      expect(await at.decisions()).toEqual([])
      expect(await at.first()).toMatchObject({ hunks: [{ id: at.h1, approvedBy: ['Ada'], missing: { approvals: 1 } }] })
      await at.whole('Bo', 'approved')
      expect(await at.decisions()).toEqual(['approved 1: pending'])
      expect((await at.first())?.missing).toMatchObject({ approvals: 1 })
      await at.vote('Cy', 'approved', at.h2, at.h3)
      expect(await at.decisions()).toEqual(['approved 1: pending', 'approved 2,3: approved'])
    })

    it('needs an owner of the file for each hunk', async () => {
      const at = await workspace({ rules: { codeowners: '/src/ @ada\n' } })
      await at.vote('Bo', 'approved', ...at.ids)
      expect(await at.decisions()).toEqual([])
      await at.vote('Ada', 'approved', at.h1)
      expect(await at.decisions()).toEqual(['approved 1: pending'])
      expect((await at.first())?.missing).toMatchObject({ owners: [['@ada']] })
    })

    it('applies to exactly these bytes: a new version of the file has none', async () => {
      const at = await workspace()
      await at.vote('Ada', 'approved', at.h1, at.h2)
      const after = at.after.replace('new line 55', 'newer line 55')
      await at.stores.contents.put(digest(after), Buffer.from(after))
      const change = { ...at.change, after: digest(after), shown: { before: at.change.before, after: digest(after) } }
      const next = await at.stores.queue.submit(at.hold, { digest: '2', revision: 2, changes: [change] })
      const [shown] = (await at.stores.queue.get(next.id)).changes
      expect([shown?.verdict, shown?.hunks]).toEqual([undefined, undefined])
      await expect(at.vote('Ada', 'approved', at.h3)).rejects.toMatchObject({ code: 'superseded' })
    })

    it('is refused for missing hunks, for parts that no hunk shows, and for a file that is selected as a whole', async () => {
      const { change, key, h1 } = threeHunks('src/a.ts')
      const odd: QueuedChange[] = [
        Object.assign({}, change, { kind: 'rename' as const, from: 'src/old.ts', path: 'src/moved.ts' }),
        Object.assign({}, change, { mode: { before: 0o644, after: 0o755 }, path: 'src/run.ts' }),
        Object.assign({}, change, { link: true as const, path: 'src/link.ts' }),
        Object.assign({}, change, {
          kind: 'create' as const,
          before: null,
          path: 'src/new.ts',
          shown: { before: null, after: change.after },
        }),
        Object.assign({}, change, { shown: undefined, path: 'src/big.ts' }),
      ]
      const at = await workspace({ others: odd })
      const ask = (keys: string[], ...hunks: { key: string; ids: string[] }[]) =>
        at.stores.queue.decide(at.id, { keys, hunks, verdict: 'approved' }, 'Ada')
      for (const ids of [[], ['h_0'], [h1, 'h_0']])
        await expect(ask([], { key, ids })).rejects.toMatchObject({ code: 'not_found' })
      for (const each of odd) {
        const [before, after] = [each.kind === 'create' ? null : Buffer.from(at.before), Buffer.from(at.after)]
        const ids = diffFile(before, after, each.path).hunks.map(({ id }) => id)
        await expect(ask([], { key: changeKey(each), ids }), each.path).rejects.toMatchObject({ code: 'not_found' })
      }
      await expect(ask([], { key: 'other', ids: [h1] })).rejects.toMatchObject({ code: 'not_found' })
      await expect(ask([key], { key, ids: [h1] })).rejects.toMatchObject({ code: 'invalid' })
      await expect(ask([], { key, ids: [h1] }, { key, ids: [at.h2] })).rejects.toMatchObject({ code: 'invalid' })
      await expect(ask([])).rejects.toMatchObject({ code: 'invalid' })
      expect(await at.decisions()).toEqual([])
      expect(await at.stores.ledger.read('audit', 1)).toEqual([])
    })

    it('matches a model, for any order of votes', () =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 2 }),
          fc.array(
            fc.record({
              name: fc.constantFrom('Ada', 'Bo', 'Cy'),
              isYes: fc.boolean(),
              on: fc.oneof(fc.constant(undefined), fc.subarray([0, 1, 2], { minLength: 1 })),
            }),
            { maxLength: 8 },
          ),
          async (approvals, votes) => {
            const at = await workspace({ rules: { approvals } })
            const hunks = [0, 1, 2].map(() => ({ yes: new Set<string>(), no: new Set<string>(), verdict: 'pending' }))
            for (const { name, isYes, on } of votes) {
              const verdict = isYes ? 'approved' : 'rejected'
              if (on === undefined) await at.whole(name, verdict)
              else await at.vote(name, verdict, ...on.map((each) => at.ids[each] ?? ''))
              for (const hunk of hunks.filter((_, each) => on?.includes(each) ?? true)) {
                if (isYes) hunk.yes.add(name)
                if (isYes) hunk.no.delete(name)
                else hunk.no.add(name)
                if (!isYes) hunk.verdict = 'rejected'
                else if (hunk.no.size === 0 && hunk.yes.size >= approvals) hunk.verdict = 'approved'
              }
            }
            const verdicts = [...new Set(hunks.map(({ verdict }) => verdict))]
            const expected = verdicts.includes('pending') ? undefined : verdicts.length > 1 ? 'mixed' : verdicts[0]
            expect((await at.first())?.verdict).toBe(expected)
          },
        ),
        { numRuns: 20 },
      ))
  })

  describe('a landing', () => {
    const landing = async (others: QueuedChange[], rules: Partial<ReviewRules> = {}) => {
      const at = await workspace({ others, rules })
      await setRepository(
        hosts()[0],
        Object.assign({ url: '/x.git', branch: 'main', directory: '', checks: [] }, at.scope),
      )
      const landings = async () =>
        (await at.stores.landings.list()).map(({ state, changes, reviewers }) => [
          ...[state, changes.map(({ path }) => path).join(), reviewers.join()],
        ])
      return Object.assign(at, { landings })
    }

    it('waits until each hunk has a verdict, and names everybody who approved one', async () => {
      const at = await landing([createChange('b')])
      await at.whole('Cy', 'approved', createChange('b'))
      await at.vote('Ada', 'approved', at.h1, at.h2)
      expect(await at.landings()).toEqual([])
      await at.vote('Bo', 'approved', at.h3)
      expect(await at.landings()).toEqual([['waiting', 'src/a.ts,b', 'Ada,Bo,Cy']])
    })

    it('names both people if two must approve', async () => {
      const at = await landing([createChange('b')], { approvals: 2 })
      for (const name of ['Cy', 'Ada']) await at.whole(name, 'approved', at.change, createChange('b'))
      expect(await at.landings()).toEqual([['waiting', 'src/a.ts,b', 'Ada,Cy']])
    })

    it('omits a file with a rejected hunk, and has the others of its session', async () => {
      const at = await landing([createChange('b')])
      await at.vote('Ada', 'approved', at.h1, at.h2)
      await at.whole('Cy', 'approved', createChange('b'))
      await at.vote('Bo', 'rejected', at.h3)
      expect(await at.landings()).toEqual([['waiting', 'b', 'Cy']])
    })

    it('that waits is withdrawn if a hunk is rejected, and is queued again without its file', async () => {
      const at = await landing([createChange('b')])
      await at.whole('Ada', 'approved', at.change, createChange('b'))
      expect(await at.landings()).toEqual([['waiting', 'src/a.ts,b', 'Ada']])
      await at.vote('Bo', 'rejected', at.h1)
      expect(await at.landings()).toEqual([['waiting', 'b', 'Ada']])
    })
  })
}
