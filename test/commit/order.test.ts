import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inOrder, isAtOrBelow } from '../../src/commit/order.js'
import { entryFor, type Thing } from './kit.js'

const dir: Thing = { dir: true }
const file: Thing = { file: 'x' }

it('frees names, then makes parents, then children, then removes permissions and directories', () => {
  const entries = [
    entryFor('shut', dir, { dir: true, mode: 0o500 }),
    entryFor('old', dir, null),
    entryFor('old/sub', dir, null),
    entryFor('new/sub/a', null, file),
    entryFor('new/sub', null, dir),
    entryFor('new', null, dir),
    entryFor('swap', null, file),
    entryFor('swap', dir, null),
    entryFor('swap/x', dir, null),
    entryFor('swap/x/y', file, null),
    entryFor('open', { dir: true, mode: 0o500 }, dir),
  ]
  expect(inOrder(entries).map((entry) => `${entry.op} ${entry.path}`)).toEqual([
    'chmod open',
    'delete swap/x/y',
    'rmdir swap/x',
    'rmdir swap',
    'mkdir new',
    'mkdir new/sub',
    'create swap',
    'create new/sub/a',
    'rmdir old/sub',
    'rmdir old',
    'chmod shut',
  ])
})

it('puts no child before its directory, in any order of entries', () => {
  const paths = ['a', 'a/b', 'a/b/c', 'd', 'd/e']
  const entries = [
    ...paths.map((path) => entryFor(path, null, dir)),
    ...paths.map((path) => entryFor(`${path}/f`, null, file)),
  ]
  fc.assert(
    fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (shuffled) => {
      const order = inOrder(shuffled).map((entry) => entry.path)
      for (const path of order) {
        const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')))
        if (parent !== '') expect(order.indexOf(parent)).toBeLessThan(order.indexOf(path))
      }
    }),
  )
})

it('compares whole path segments', () => {
  const paths = new Set(['a/b'])
  expect(['a/b', 'a/b/c'].map((path) => isAtOrBelow(path, paths))).toEqual([true, true])
  expect(['a', 'a/bc', 'b', ''].map((path) => isAtOrBelow(path, paths))).toEqual([false, false, false, false])
})
