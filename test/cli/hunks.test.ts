import { expect, it } from 'vitest'
import { leftOut, renderVerdict } from '../../src/cli/hunks.js'
import type { Change, ChangeSet, Verdict } from '../../src/index.js'

const COUNT = 200
const paths = Array.from({ length: COUNT }, (_, n) => `src/f${n}`)

/** A change set that counts how often a path is read. */
function countedSet(): { set: ChangeSet; reads(): number } {
  let count = 0
  const changes = paths.map((path) => {
    const change: Change = {
      path,
      kind: 'create',
      state: 'pending',
      flags: [],
      hunks: [],
      before: null,
      after: null,
    }
    return Object.defineProperty(change, 'path', {
      get() {
        count += 1
        return path
      },
    })
  })
  return { set: { digest: 'sha256:0', changes }, reads: () => count }
}

const verdict = (of: string[]): Verdict => ({
  id: 'v1',
  verdict: 'approved',
  paths: of,
  by: { name: 'Ada' },
  at: '2026-01-01T00:00:00.000Z',
})

it('a verdict on many changes is shown by reading each of them once', () => {
  const { set, reads } = countedSet()
  const { lines, amount } = renderVerdict(verdict(paths), set)
  expect([lines.split('\n').length, amount]).toEqual([COUNT + 1, `${COUNT} changes`])
  expect(reads()).toBe(COUNT)
})

it('the changes without a verdict are found by reading each of them once', () => {
  const { set, reads } = countedSet()
  expect(leftOut(set, verdict(paths.slice(1)))).toEqual([set.changes[0]])
  expect(reads()).toBeLessThan(COUNT * 2)
})
