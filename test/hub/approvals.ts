import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digest, sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import { addToken, revokeToken } from '../../src/hub/tokens.js'
import type { Proof, QueuedChange, ReviewRules, Scope } from '../../src/hub/types.js'
import { createChange, newScope } from './fixtures.js'

const TWO: ReviewRules = { approvals: 2, codeowners: null, teams: {} }

/** The effects of approvals by several people, and by owners, on every database. */
export function describeApprovals(hosts: () => [Database, Database]): void {
  /** A workspace with rules and one submission. */
  const workspace = async (rules: Partial<ReviewRules>, ...changes: QueuedChange[]) => {
    const scope = newScope()
    const [one, two] = hosts().map((database) => openStores(database, scope))
    if (one === undefined || two === undefined) throw new Error('There are two hosts.')
    await one.rules.set(Object.assign({}, TWO, rules), 'Root')
    const { epoch } = await one.registry.open('agent-1', 'laptop')
    const hold = { session: 'agent-1', host: 'laptop', epoch }
    const { id } = await one.queue.submit(hold, { digest: '1', revision: 1, changes })
    const vote = (
      name: string,
      verdict: 'approved' | 'rejected' = 'approved',
      { proof, on = changes, at = one }: { proof?: Proof; on?: readonly QueuedChange[]; at?: typeof one } = {},
    ) => at.queue.decide(id, { keys: on.map(changeKey), verdict, reason: 'Why.' }, name, proof)
    const verdicts = async () =>
      (await one.queue.since(0, 'laptop')).decisions.map(({ path, verdict }) => `${path} ${verdict}`)
    const missing = async () => (await one.queue.get(id)).changes.map((change) => change.missing)
    return { scope, one, two, hold, id, vote, verdicts, missing }
  }
  const reviewer = async (scope: Scope, name: string) => {
    const owner = Object.assign({ name, role: 'reviewer' as const }, scope)
    return { owner, proof: { token: sha256hex(await addToken(hosts()[0], owner)) } }
  }

  describe('two approvals', () => {
    it('are of different people, and the machine gets no decision before the second', async () => {
      const { one, id, vote, verdicts, missing } = await workspace({}, createChange('a'))
      await vote('Ada')
      await vote('Ada')
      await vote('ADA', 'approved', { proof: { subject: 'another' } })
      await vote('Somebody', 'approved', { proof: { subject: 'another' } })
      expect(await verdicts()).toEqual([])
      expect(await missing()).toEqual([{ approvals: 1, owners: [], rejectedBy: [] }])
      expect(await one.queue.list('age')).toMatchObject([{ pending: 1 }])
      expect((await one.queue.get(id)).changes[0]?.approvedBy).toEqual(['Ada', 'ADA', 'Somebody'])
      await vote('Bo')
      expect(await verdicts()).toEqual(['a approved'])
      expect((await one.queue.since(0, 'laptop')).decisions).toMatchObject([
        { reviewer: 'Bo', approvers: ['Somebody', 'Bo'] },
      ])
      expect(await missing()).toEqual([undefined])
      expect((await one.ledger.read('audit', 0)).map(({ line }) => JSON.parse(line).record.by)).toEqual([
        ...['Root', 'Ada', 'Ada', 'ADA', 'Somebody', 'Bo'],
      ])
    })

    it('are on the same bytes, of the same change', async () => {
      const { one, hold, vote, verdicts } = await workspace({}, createChange('a'))
      await vote('Ada')
      const other = createChange('a', { after: digest('other bytes') })
      const next = await one.queue.submit(hold, { digest: '2', revision: 2, changes: [other] })
      await one.queue.decide(next.id, { keys: [changeKey(other)], verdict: 'approved' }, 'Bo')
      expect(await verdicts()).toEqual([])
      await one.queue.decide(next.id, { keys: [changeKey(other)], verdict: 'approved' }, 'Ada')
      expect(await verdicts()).toEqual(['a approved'])
    })

    it('at the same time make one approval', async () => {
      for (let round = 0; round < 8; round++) {
        const { two, vote, verdicts } = await workspace({}, createChange('a'))
        await Promise.all([vote('Ada'), vote('Bo', 'approved', { at: two })])
        expect(await verdicts()).toEqual(['a approved'])
      }
    })

    it('of one person at the same time count once', async () => {
      const { two, vote, verdicts } = await workspace({}, createChange('a'))
      await Promise.all([vote('Ada'), vote('Ada', 'approved', { at: two })])
      expect(await verdicts()).toEqual([])
    })
  })

  describe('a rejection by one', () => {
    it('applies, whoever else approves, until that person approves', async () => {
      const { vote, verdicts, missing } = await workspace({}, createChange('a'))
      await vote('Ada')
      await vote('Bo', 'rejected')
      await vote('Cy')
      await vote('Dee')
      expect(await verdicts()).toEqual(['a rejected'])
      expect(await missing()).toEqual([{ approvals: 0, owners: [], rejectedBy: ['Bo'] }])
      await vote('Bo')
      expect(await verdicts()).toEqual(['a rejected', 'a approved'])
    })

    it('is not cancelled by another person who signs in under the same name', async () => {
      const { vote, missing } = await workspace({ approvals: 1 }, createChange('a'), createChange('b'))
      const [bo, eve] = [{ proof: { subject: 'issuer bo' } }, { proof: { subject: 'issuer eve' } }]
      await vote('Bo', 'rejected', bo)
      await vote('Bo', 'approved', eve)
      await vote('Bo')
      expect((await missing()).map((each) => each?.rejectedBy)).toEqual([['Bo'], ['Bo']])
      await vote('Bo of Accounting', 'approved', bo)
      expect(await missing()).toEqual([undefined, undefined])
      await vote('Bo', 'rejected')
      await vote('Bo', 'approved', eve)
      expect((await missing()).map((each) => each?.rejectedBy)).toEqual([['Bo'], ['Bo']])
      await vote('BO')
      expect(await missing()).toEqual([undefined, undefined])
    })

    it('applies if one approval is enough, and cancels an approval', async () => {
      const { vote, verdicts } = await workspace({ approvals: 1 }, createChange('a'))
      await vote('Ada')
      await vote('Bo', 'rejected')
      await vote('Ada')
      expect(await verdicts()).toEqual(['a approved', 'a rejected'])
    })
  })

  describe('a token that was revoked', () => {
    it('decides nothing any longer, and its approvals do not count', async () => {
      const { scope, vote, verdicts, missing } = await workspace({}, createChange('a'))
      const [ada, bo] = [await reviewer(scope, 'Ada'), await reviewer(scope, 'Bo')]
      await vote('Ada', 'approved', ada)
      await revokeToken(hosts()[1], ada.owner)
      await expect(vote('Ada', 'approved', ada)).rejects.toMatchObject({ code: 'refused' })
      await vote('Bo', 'approved', bo)
      expect(await verdicts()).toEqual([])
      expect(await missing()).toEqual([{ approvals: 1, owners: [], rejectedBy: [] }])
      await vote('Ada', 'approved', await reviewer(scope, 'Ada'))
      expect(await verdicts()).toEqual(['a approved'])
    })

    it('keeps its rejection, and cannot have cancelled one', async () => {
      const { scope, vote, verdicts } = await workspace({ approvals: 1 }, createChange('a'))
      const [first, cy] = [await reviewer(scope, 'Ada'), await reviewer(scope, 'Cy')]
      await vote('Ada', 'rejected', first)
      await revokeToken(hosts()[1], first.owner)
      await vote('Cy', 'approved', cy)
      expect(await verdicts()).toEqual(['a rejected'])
    })

    it('decides or is revoked, if both happen at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const { scope, two, vote, verdicts } = await workspace({ approvals: 1 }, createChange('a'))
        const ada = await reviewer(scope, 'Ada')
        const [voted] = await Promise.allSettled([
          vote('Ada', 'approved', { proof: ada.proof, at: two }),
          revokeToken(hosts()[0], ada.owner),
        ])
        expect(await verdicts()).toEqual(voted.status === 'fulfilled' ? ['a approved'] : [])
      }
    })

    it('is refused like a token of another role or workspace, or an unknown one', async () => {
      const { vote } = await workspace({}, createChange('a'))
      const otherWorkspaceReviewer = await reviewer(newScope(), 'Ada')
      await expect(vote('Ada', 'approved', otherWorkspaceReviewer)).rejects.toMatchObject({ code: 'refused' })
      await expect(vote('Ada', 'approved', { proof: { token: sha256hex('x') } })).rejects.toMatchObject({
        code: 'refused',
      })
    })
  })

  describe('owners', () => {
    const codeowners = '* @ada\n/docs/ @shop/docs bo@shop.example\n/docs/free/\n'
    const teams = { '@shop/docs': ['Cy'] }

    it('must be among those who approve, for each path of a change', async () => {
      const rename = Object.assign(createChange('docs/a.md'), { kind: 'rename' as const, from: 'src/a.md' })
      const { vote, verdicts, missing } = await workspace({ approvals: 1, codeowners, teams }, rename)
      await vote('Dee')
      expect(await missing()).toEqual([
        { approvals: 0, owners: [['@shop/docs', 'bo@shop.example'], ['@ada']], rejectedBy: [] },
      ])
      await vote('cy')
      expect(await verdicts()).toEqual([])
      await vote('Ada')
      expect(await verdicts()).toEqual(['docs/a.md approved'])
    })

    it.each([
      ['bo@shop.example', {}, true],
      ['Eve', { teams: ['@shop/docs'] }, true],
      ['shop/docs', {}, false],
      ['@shop/docs', {}, false],
      ['Eve', { teams: ['@other/docs'] }, false],
      ['Ada', {}, false],
    ])('%s with %j approves docs/a.md: %s', async (name, proof, isEnough) => {
      const { vote, verdicts } = await workspace({ approvals: 1, codeowners, teams }, createChange('docs/a.md'))
      await vote(name, 'approved', { proof })
      expect(await verdicts()).toEqual(isEnough ? ['docs/a.md approved'] : [])
    })

    it('count as one of the approvals, for each change separately', async () => {
      const [a, free, b] = [createChange('a'), createChange('docs/free/b'), createChange('docs/b')]
      const { vote, verdicts } = await workspace({ approvals: 2, codeowners, teams }, a, free, b)
      await vote('Ada')
      await vote('Bo')
      expect(await verdicts()).toEqual(['a approved', 'docs/free/b approved'])
      await vote('Cy', 'approved', { on: [b] })
      expect((await verdicts()).at(-1)).toBe('docs/b approved')
    })

    it('cannot be bypassed by a link in place of their directory', async () => {
      const link = Object.assign(createChange('docs'), { kind: 'link' as const })
      const { vote, verdicts } = await workspace({ codeowners, teams }, link)
      await vote('Ada')
      await vote('Eve')
      expect(await verdicts()).toEqual([])
      await vote('Cy')
      expect(await verdicts()).toEqual(['docs approved'])
    })
  })

  describe('review rules', () => {
    it('apply in their newest version, from the next vote on', async () => {
      const { one, vote, verdicts } = await workspace({ approvals: 3 }, createChange('a'))
      await vote('Ada')
      await one.rules.set(TWO, 'Root')
      expect(await one.rules.get()).toEqual(TWO)
      expect(await verdicts()).toEqual([])
      await vote('Bo')
      expect(await verdicts()).toEqual(['a approved'])
    })

    it.each([
      { approvals: 0 },
      { approvals: 1.5 },
      { approvals: 11 },
      { codeowners: '!src/ @ada' },
      { codeowners: 'src/ ada' },
      { teams: { docs: ['Ada'] } },
    ])('refuse %j, and stay unchanged', async (rules) => {
      const { one } = await workspace({}, createChange('a'))
      await expect(one.rules.set(Object.assign({}, TWO, rules), 'Root')).rejects.toThrow()
      expect(await one.rules.get()).toEqual(TWO)
      expect(await one.ledger.read('audit', 1)).toEqual([])
    })
  })

  it('approvals match a model, for any order of votes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.record({ name: fc.constantFrom('Ada', 'Bo', 'Cy'), isYes: fc.boolean() }), { maxLength: 8 }),
        async (approvals, votes) => {
          const { vote, verdicts } = await workspace({ approvals }, createChange('a'))
          const [yes, no, expected]: [Set<string>, Set<string>, string[]] = [new Set(), new Set(), []]
          for (const { name, isYes } of votes) {
            await vote(name, isYes ? 'approved' : 'rejected')
            if (isYes) yes.add(name)
            if (isYes) no.delete(name)
            else no.add(name)
            if (!isYes) expected.push('a rejected')
            else if (no.size === 0 && yes.size >= approvals) expected.push('a approved')
          }
          expect(await verdicts()).toEqual(expected)
        },
      ),
      { numRuns: 12 },
    ))
}
