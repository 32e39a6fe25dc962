import { afterEach, expect, it, vi } from 'vitest'
import { pathRules } from '../../src/policy/path-rules.js'

afterEach(() => vi.restoreAllMocks())

const RULES = pathRules(Array.from({ length: 50 }, (_, n): [string, string] => [`**/made-${n}/**/*.ts`, `rule ${n}`]))

it('a glob is asked once about a path and the directories above it', () => {
  const split = vi.spyOn(String.prototype, 'split')
  const test = vi.spyOn(Set.prototype, 'has')
  const path = 'src/made-7/inner/a.ts'
  expect(RULES.find(path)?.value).toBe('rule 7')
  expect(split.mock.contexts.filter((context) => String(context) === path)).toHaveLength(1)
  test.mockClear()
  expect(RULES.find(path)?.value).toBe('rule 7')
  expect(test).not.toHaveBeenCalled()
})

it('a path without a rule is remembered, too, and each path has its own answer', () => {
  expect(RULES.find('src/other/a.ts')).toBeUndefined()
  const test = vi.spyOn(Set.prototype, 'has')
  expect(RULES.find('src/other/a.ts')).toBeUndefined()
  expect(test).not.toHaveBeenCalled()
  expect(RULES.find('src/made-8/a.ts')?.value).toBe('rule 8')
  expect(RULES.find('src/made-8/a.js')).toBeUndefined()
})
