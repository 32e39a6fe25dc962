import { describe, expect, it } from 'vitest'
import { sha256hex } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { removeSignInGroup, setSignInGroup } from '../../src/hub/sign-in-groups.js'
import {
  addSignIn,
  beginSignIn,
  endSignIn,
  endSignInsNamed,
  findSignIn,
  takeBegunSignIn,
} from '../../src/hub/sign-ins.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import type { Proof, Scope } from '../../src/hub/types.js'
import { createChange, newScope } from './fixtures.js'

const ISSUER = 'https://login.example.com'

/** The decisions that sign-ins may make, on every database. */
export function describeSignIns(hosts: () => [Database, Database]): void {
  const group = (scope: Scope, name = scope.tenant) =>
    Object.assign({ name, role: 'reviewer' as const, teams: ['@shop/docs'] }, scope)

  /** A workspace with one submission, and a person who may decide on it. */
  const workspace = async (approvals = 1) => {
    const [scope, change] = [newScope(), createChange('a')]
    const [one, two] = hosts()
    await setSignInGroup(one, group(scope))
    const { registry, queue, rules } = openStores(one, scope)
    if (approvals > 1) await rules.set({ approvals, codeowners: null, teams: {} }, 'Root')
    const { epoch } = await registry.open('agent-1', 'laptop')
    const { id } = await queue.submit(
      { session: 'agent-1', host: 'laptop', epoch },
      { digest: '1', revision: 1, changes: [change] },
    )
    const signIn = async (subject: string, name = subject) => {
      const person = { issuer: ISSUER, subject, name: `${name} ${scope.tenant}`, groups: [scope.tenant, 'others'] }
      const cookie = await addSignIn(one, person)
      const proof = (await findSignIn(two, cookie, ISSUER))?.identity?.proof ?? {}
      return { cookie, name: person.name, proof }
    }
    const vote = ({ name, proof }: { name: string; proof?: Proof }) =>
      openStores(two, scope).queue.decide(id, { keys: [changeKey(change)], verdict: 'approved' }, name, proof)
    const decisions = async () => (await queue.since(0, 'laptop')).decisions.map(({ reviewer }) => reviewer)
    return { scope, one, signIn, vote, decisions }
  }

  describe('a sign-in', () => {
    it('has the issuer, the subject, and the teams of its groups in the workspace', async () => {
      const { scope, one, signIn } = await workspace()
      const otherScope = Object.assign(newScope(), {
        name: scope.tenant,
        role: 'admin',
        teams: ['@other/team'],
      } as const)
      expect((await signIn('1')).proof).toMatchObject({ subject: `${ISSUER} 1`, teams: ['@shop/docs'] })
      await setSignInGroup(one, otherScope)
      const { cookie } = await signIn('2')
      const found = await findSignIn(one, cookie, ISSUER)
      expect([found?.identity, found?.accesses.length]).toEqual([undefined, 2])
      expect(await findSignIn(one, cookie, `${ISSUER}/`)).toBeUndefined()
    })

    it.each(['signed out', 'ended by the operator', 'without its group', 'of a group that is not a reviewer'])(
      'that is %s decides nothing, and its earlier decisions do not count',
      async (how) => {
        const end = async ({ scope, one }: Awaited<ReturnType<typeof workspace>>, cookie: string, name: string) => {
          if (how === 'signed out') await endSignIn(one, cookie, 'all')
          else if (how === 'ended by the operator') expect(await endSignInsNamed(one, name)).toBe(1)
          else if (how === 'without its group') await removeSignInGroup(one, group(scope))
          else await setSignInGroup(one, Object.assign(group(scope), { role: 'admin' as const }))
        }
        const after = await workspace()
        const ada = await after.signIn('1')
        await end(after, ada.cookie, ada.name)
        await expect(after.vote(ada)).rejects.toMatchObject({ code: 'refused' })
        expect(await after.decisions()).toEqual([])
        for (let round = 0; round < 6; round++) {
          const same = await workspace()
          const bo = await same.signIn('2')
          const [voted] = await Promise.allSettled([same.vote(bo), end(same, bo.cookie, bo.name)])
          expect(await same.decisions()).toEqual(voted.status === 'fulfilled' ? [bo.name] : [])
        }
      },
    )

    it('ends within an hour, though the clock of the database was set back', async () => {
      const { one, signIn } = await workspace()
      const { cookie } = await signIn('1')
      const begun = await beginSignIn(one)
      // What the rows are once the clock was set back by a day.
      for (const [table, value] of [
        ['sign_ins', cookie],
        ['begun_sign_ins', begun.cookie],
      ] as const)
        await one.transaction((query) =>
          query.rows(`update escrow.${table} set until = until + interval '1 day' where sha256 = $1`, [
            sha256hex(value),
          ]),
        )
      expect(await findSignIn(one, cookie, ISSUER)).toBeUndefined()
      expect(await takeBegunSignIn(one, begun.cookie, begun.state)).toBeUndefined()
    })

    it('of another workspace decides nothing', async () => {
      const [{ vote, decisions }, other] = [await workspace(), await workspace()]
      await expect(vote(await other.signIn('1'))).rejects.toMatchObject({ code: 'refused' })
      expect(await decisions()).toEqual([])
    })

    it('counts by its subject, whatever its name, and never in addition to a token', async () => {
      const { signIn, vote, decisions } = await workspace(2)
      await vote(await signIn('1', 'Ada'))
      await vote(await signIn('1', 'Lovelace'))
      await vote({ name: 'Countess' })
      expect(await decisions()).toEqual([])
      await vote({ name: 'Bo' })
      expect(await decisions()).toEqual(['Bo'])
    })
  })
}
