import { describe, expect, it } from 'vitest'
import { countByCause, isOverBudgetOnly, recommendedRules, releasedOf } from '../../../bench/risk/release.js'
import type { ChangeSetCase } from '../../../bench/risk/sets.js'
import type { Changed } from '../../../src/risk/index.js'

const side = (text: string) => ({ type: 'file', mode: 0o644, content: Buffer.from(text) }) as const
const newChange = (path: string, before: string | null, after: string): Changed => ({
  path,
  kind: before === null ? 'create' : 'modify',
  before: before === null ? null : side(before),
  after: side(after),
})
const setOf = (...changes: Changed[]): ChangeSetCase => ({ id: 'set', changes })

const CODE = 'export function price(amount) {\n  const tax = amount * 0.19\n  return amount + tax\n}\n'
const GUARDED = 'export function remove(user) {\n  if (!user.isAdmin) throw new Error("no")\n  return store.drop()\n}\n'

describe('the tiers of docs/release.md, on a change set', () => {
  const rules = recommendedRules()

  it('are read from the page, for directories at any depth', () => {
    expect(rules.tiers.map(({ name }) => name)).toEqual(['docs', 'format', 'refactor', 'tests', 'small'])
    expect(rules.tiers[1]?.paths).toEqual(['**/src/**', '**/test/**'])
    expect(() => recommendedRules('# Nothing\n')).toThrow('docs/release.md shows no tiers.')
  })

  it('release what a review would show as harmless, and nothing else', async () => {
    const released = await releasedOf(
      rules,
      setOf(
        newChange('docs/guide.md', '# Prices\n', '# Prices\n\nWith tax.\n'),
        newChange('packages/shop/src/price.js', CODE, CODE.replaceAll('tax', 'vat')),
        newChange('src/page.js', 'export const columns = 1\n', 'export const columns = 2\n'),
        newChange('src/remove.js', GUARDED, GUARDED.replace(/ {2}if.*\n/, '')),
        newChange('package.json', '{}\n', '{ "scripts": { "postinstall": "node x.js" } }\n'),
        newChange('.husky/pre-commit', null, 'node x.js\n'),
      ),
    )
    const tiers = Object.fromEntries(released.map(({ change, decision }) => [change.path, decision.tier]))
    expect(tiers).toEqual({
      'docs/guide.md': 'docs',
      'packages/shop/src/price.js': 'refactor',
      'src/page.js': 'small',
      'src/remove.js': undefined,
      'package.json': undefined,
      '.husky/pre-commit': undefined,
    })
    const causes = countByCause(released.filter(({ decision }) => decision.tier === undefined)).map(({ name }) => name)
    expect(causes).toEqual(
      expect.arrayContaining(['stop guard-removed', 'it names dependencies', 'it is marked highlight']),
    )
    expect(released.some(isOverBudgetOnly)).toBe(false)
  })

  it('say when only the size of the set holds a change back', async () => {
    const many = Array.from({ length: 11 }, (_, n) =>
      newChange(`src/n${n}.js`, 'export const a = 1\n', `export const a = 2${n}\n`),
    )
    const released = await releasedOf(rules, setOf(...many))
    expect(released.every(isOverBudgetOnly)).toBe(true)
    expect(countByCause(released)).toEqual([{ name: 'the tier small releases 10 files at most', value: 11 }])
  })
})
