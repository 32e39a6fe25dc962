import { expect, it } from 'vitest'
import type { WireChange } from '../../src/web/wire.js'
import { directoriesAbove, treeOrder, treeRows } from '../../web/src/tree.js'

const change = (path: string): WireChange => ({
  path,
  kind: 'modify',
  state: 'pending',
  flags: [],
  why: [],
  mark: path,
  look: '',
  added: 0,
  removed: 0,
  landing: [0, 0],
  hunks: [1, 0, 0],
})
const CHANGES = ['src/b.ts', 'README.md', 'src/api/v1/users.ts', 'src/api/v1/carts.ts', 'src/a.ts'].map(change)
const rowsOf = (closed: readonly string[] = []) =>
  treeRows(CHANGES, new Set(closed)).map((row) => {
    const name = row.kind === 'directory' ? `${row.name}/ (${row.count})` : row.change.path.split('/').at(-1)
    return `${'  '.repeat(row.depth)}${name}`
  })

it('lists directories before files, and a chain of directories in one row', () => {
  expect(rowsOf()).toEqual([
    'src/ (4)',
    '  api/v1/ (2)',
    '    carts.ts',
    '    users.ts',
    '  a.ts',
    '  b.ts',
    'README.md',
  ])
})

it('omits the entries below a closed directory, and still counts them', () => {
  expect(rowsOf(['src'])).toEqual(['src/ (4)', 'README.md'])
  expect(rowsOf(['src/api/v1'])).toEqual(['src/ (4)', '  api/v1/ (2)', '  a.ts', '  b.ts', 'README.md'])
})

it('the tree has one order of files, whichever are closed, and names the directories above each', () => {
  expect(treeOrder(CHANGES).map(({ path }) => path)[0]).toBe('src/api/v1/carts.ts')
  expect(directoriesAbove('src/api/v1/carts.ts')).toEqual(['src', 'src/api', 'src/api/v1'])
})
