import type { CommitEntry } from '../../src/commit/index.js'
import { entryFor, type Tree } from '../commit/kit.js'

/** A tree, and the entries of a commit to it. */
export interface Shape {
  readonly name: string
  readonly before: Tree
  readonly entries: CommitEntry[]
}

const numberedPaths = (count: number) => Array.from({ length: count }, (_, i) => `m/${i}.txt`)

function asCarried(entry: CommitEntry): CommitEntry {
  return { ...entry, carried: true }
}

export const SHAPES: Shape[] = [
  { name: 'create one', before: {}, entries: [entryFor('a', null, { file: 'new' })] },
  { name: 'overwrite one', before: { a: { file: 'old' } }, entries: [entryFor('a', { file: 'old' }, { file: 'new' })] },
  {
    name: 'create in new directories, delete with the old ones',
    before: { 'p/q/a': { file: 'old' }, 'p/q/b': { link: 'a' } },
    entries: [
      entryFor('p/q/a', { file: 'old' }, null),
      entryFor('p/q/b', { link: 'a' }, null),
      entryFor('p/q', { dir: true }, null),
      entryFor('p', { dir: true }, null),
      entryFor('n/m/a', null, { file: 'new' }),
      entryFor('n/m/b', null, { file: 'new' }),
    ],
  },
  {
    name: 'symlinks: made, turned, replaced by a file',
    before: { s: { link: 'x' }, t: { link: 'x' }, f: { file: 'old' } },
    entries: [
      entryFor('r', null, { link: 'f' }),
      entryFor('s', { link: 'x' }, { link: 'y' }),
      entryFor('t', { link: 'x' }, { file: 'new' }),
      entryFor('f', { file: 'old' }, { link: 'r' }),
    ],
  },
  {
    name: 'modes of files and directories',
    before: { x: { file: 'same' }, 'd/y': { file: 'same' } },
    entries: [
      entryFor('x', { file: 'same' }, { file: 'same', mode: 0o755 }),
      entryFor('d', { dir: true }, { dir: true, mode: 0o500 }),
      entryFor('d/z', null, { file: 'new' }),
      entryFor('e', null, { dir: true, mode: 0o555 }),
      entryFor('e/w', null, { file: 'new' }),
    ],
  },
  {
    name: 'entries change their kinds',
    before: { 'a/x': { file: 'old' }, b: { file: 'old' } },
    entries: [
      entryFor('a/x', { file: 'old' }, null),
      entryFor('a', { dir: true }, null),
      entryFor('a', null, { file: 'new' }),
      entryFor('b', { file: 'old' }, null),
      entryFor('b', null, { dir: true }),
      entryFor('b/y', null, { file: 'new' }),
    ],
  },
  {
    name: 'a directory moves, with an edit, an addition and a deletion in it',
    before: { 'p/x': { file: 'old' }, 'p/q/y': { file: 'old y' }, 'p/l': { link: 'x' }, 'p/g/h': { file: 'old h' } },
    entries: [
      ...Object.entries({ x: { file: 'old' }, 'q/y': { file: 'old y' }, l: { link: 'x' } }).flatMap(([name, thing]) => [
        asCarried(entryFor(`p/${name}`, thing, null)),
        asCarried({ ...entryFor(`n/m/${name}`, null, thing), from: `p/${name}` }),
      ]),
      ...['p/q', 'p'].map((path) => asCarried(entryFor(path, { dir: true }, null))),
      ...['n/m/q', 'n/m'].map((path) => asCarried(entryFor(path, null, { dir: true }))),
      entryFor('p/g/h', { file: 'old h' }, null),
      entryFor('p/g', { dir: true }, null),
      { ...entryFor('n/m', { dir: true }, { dir: true }), op: 'move', from: 'p', at: 'p' },
      { ...entryFor('n/m/q/y', { file: 'old y' }, { file: 'new y' }), at: 'p/q/y' },
      entryFor('n/m/z', null, { file: 'new' }),
    ],
  },
  {
    name: 'eight files',
    before: Object.fromEntries(numberedPaths(5).map((path) => [path, { file: 'old' }])),
    entries: numberedPaths(8).map((path, i) =>
      entryFor(path, i < 5 ? { file: 'old' } : null, i === 0 ? null : { file: `new ${i}` }),
    ),
  },
]
