import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { setRepository } from '../../src/hub/repositories.js'
import { inScope } from '../../src/hub/scope.js'
import type { Database } from '../../src/hub/sql.js'
import { openStores } from '../../src/hub/stores.js'
import type { QueuedChange, Scope } from '../../src/hub/types.js'
import { createChange, newScope } from './fixtures.js'

/** The removal of contents, on every database. */
export function describeRemoval(hosts: () => [Database, Database]): void {
  /** A workspace with one session, whose contents were all sent 40 days ago. */
  const workspace = async (scope: Scope = newScope()) => {
    const stores = openStores(hosts()[0], scope)
    const { epoch } = await stores.registry.open('agent-1', 'laptop')
    let revision = 0
    /** Submits a new file with this text, which replaces the session's earlier one. */
    const submit = async (text: string, more: Partial<QueuedChange> = {}) => {
      await stores.contents.put(digest(text), Buffer.from(text))
      const shown = { before: null, after: digest(text) }
      const change = Object.assign(createChange('a', { after: digest(text), shown }), more)
      revision += 1
      const hold = { session: 'agent-1', host: 'laptop', epoch }
      const { id } = await stores.queue.submit(hold, { digest: digest(text), revision, changes: [change] })
      return { id, key: changeKey(change) }
    }
    const age = () =>
      inScope(hosts()[0], scope, (query) =>
        query.rows(`update escrow.contents set sent_at = now() - interval '40 days'`),
      )
    const keptTexts = async (...texts: string[]) => {
      const found = await Promise.all(texts.map((text) => stores.contents.get(digest(text))))
      return texts.filter((_, index) => found[index] !== undefined)
    }
    return { stores, submit, age, keptTexts }
  }

  describe('contents that no waiting change needs', () => {
    it('are removed once they are old, and the machine sends them again if it needs them', async () => {
      const [{ stores, submit, age, keptTexts }, other] = [await workspace(), await workspace()]
      await other.submit('of another workspace')
      await other.submit('newer there')
      await other.age()
      await submit('first')
      await submit('second')
      expect(await stores.contents.removeUnused(30)).toEqual({ contents: 0, bytes: 0 })
      await age()
      expect(await stores.contents.removeUnused(41)).toEqual({ contents: 0, bytes: 0 })
      expect(await stores.contents.removeUnused(30)).toEqual({ contents: 1, bytes: 5 })
      expect(await keptTexts('first', 'second')).toEqual(['second'])
      expect(await other.keptTexts('of another workspace')).toHaveLength(1)
      const change = createChange('a', { shown: { before: null, after: digest('first') }, after: digest('first') })
      const hold = { session: 'agent-1', host: 'laptop', epoch: 1 }
      await expect(stores.queue.submit(hold, { digest: 'x', revision: 9, changes: [change] })).rejects.toMatchObject({
        code: 'missing',
        details: [digest('first')],
      })
      expect(await stores.contents.put(digest('first'), Buffer.from('first'))).toBe(true)
    })

    it('are removed, and those in use stay, whatever characters a waiting change contains', async () => {
      const { stores, submit, age, keptTexts } = await workspace()
      await submit('first')
      await submit('second', { agent: 'a\0', intent: '\ud83d', facts: ['half of a pair: \ude00'] })
      await age()
      expect(await stores.contents.removeUnused(30)).toEqual({ contents: 1, bytes: 5 })
      expect(await keptTexts('first', 'second')).toEqual(['second'])
    })

    it('stay while their change may still land', async () => {
      const scope = newScope()
      const { stores, submit, age, keptTexts } = await workspace(scope)
      await setRepository(
        hosts()[0],
        Object.assign({ url: 'https://example.com/x.git', branch: 'main', directory: '', checks: [] }, scope),
      )
      const { id, key } = await submit('approved')
      await stores.queue.decide(id, { keys: [key], verdict: 'approved' }, 'Ada')
      await inScope(hosts()[0], scope, (query) => query.rows('update escrow.submissions set is_open = false'))
      for (const [state, stays] of [
        ['landing', true],
        ['waiting', true],
        ['landed', false],
      ] as const) {
        await age()
        await inScope(hosts()[0], scope, (query) => query.rows('update escrow.landings set state = $1', [state]))
        await stores.contents.removeUnused(30)
        expect(await keptTexts('approved'), state).toEqual(stays ? ['approved'] : [])
      }
    })

    it('count as new from their last upload, and are kept for at least a day', async () => {
      const { stores, submit, age, keptTexts } = await workspace()
      await submit('again')
      await submit('other')
      await age()
      expect(await stores.contents.put(digest('again'), Buffer.from('again'))).toBe(false)
      expect(await stores.contents.removeUnused(1)).toEqual({ contents: 0, bytes: 0 })
      for (const days of [0, 0.5, -1, Number.NaN])
        await expect(stores.contents.removeUnused(days)).rejects.toMatchObject({ code: 'invalid' })
      expect(await keptTexts('again', 'other')).toEqual(['again', 'other'])
    })
  })
}
