import type { CommitEntry } from '../../src/commit/index.js'
import { type Tree, turn } from '../commit/kit.js'

/** A tree, and the entries of a commit to it. */
export interface Shape {
  readonly name: string
  readonly before: Tree
  readonly entries: CommitEntry[]
}

const many = (count: number) => Array.from({ length: count }, (_, i) => `m/${i}.txt`)

function asCarried(entry: CommitEntry): CommitEntry {
  return { ...entry, carried: true }
}

export const SHAPES: Shape[] = [
  { name: 'create one', before: {}, entries: [turn('a', null, { file: 'new' })] },
  { name: 'overwrite one', before: { a: { file: 'old' } }, entries: [turn('a', { file: 'old' }, { file: 'new' })] },
  {
    name: 'create in new directories, delete with the old ones',
    before: { 'p/q/a': { file: 'old' }, 'p/q/b': { link: 'a' } },
    entries: [
      turn('p/q/a', { file: 'old' }, null),
      turn('p/q/b', { link: 'a' }, null),
      turn('p/q', { dir: true }, null),
      turn('p', { dir: true }, null),
      turn('n/m/a', null, { file: 'new' }),
      turn('n/m/b', null, { file: 'new' }),
    ],
  },
  {
    name: 'symlinks: made, turned, replaced by a file',
    before: { s: { link: 'x' }, t: { link: 'x' }, f: { file: 'old' } },
    entries: [
      turn('r', null, { link: 'f' }),
      turn('s', { link: 'x' }, { link: 'y' }),
      turn('t', { link: 'x' }, { file: 'new' }),
      turn('f', { file: 'old' }, { link: 'r' }),
    ],
  },
  {
    name: 'modes of files and directories',
    before: { x: { file: 'same' }, 'd/y': { file: 'same' } },
    entries: [
      turn('x', { file: 'same' }, { file: 'same', mode: 0o755 }),
      turn('d', { dir: true }, { dir: true, mode: 0o500 }),
      turn('d/z', null, { file: 'new' }),
      turn('e', null, { dir: true, mode: 0o555 }),
      turn('e/w', null, { file: 'new' }),
    ],
  },
  {
    name: 'entries change their kinds',
    before: { 'a/x': { file: 'old' }, b: { file: 'old' } },
    entries: [
      turn('a/x', { file: 'old' }, null),
      turn('a', { dir: true }, null),
      turn('a', null, { file: 'new' }),
      turn('b', { file: 'old' }, null),
      turn('b', null, { dir: true }),
      turn('b/y', null, { file: 'new' }),
    ],
  },
  {
    name: 'a directory moves, with an edit, an addition and a deletion in it',
    before: { 'p/x': { file: 'old' }, 'p/q/y': { file: 'old y' }, 'p/l': { link: 'x' }, 'p/g/h': { file: 'old h' } },
    entries: [
      ...Object.entries({ x: { file: 'old' }, 'q/y': { file: 'old y' }, l: { link: 'x' } }).flatMap(([name, thing]) => [
        asCarried(turn(`p/${name}`, thing, null)),
        asCarried({ ...turn(`n/m/${name}`, null, thing), from: `p/${name}` }),
      ]),
      ...['p/q', 'p'].map((path) => asCarried(turn(path, { dir: true }, null))),
      ...['n/m/q', 'n/m'].map((path) => asCarried(turn(path, null, { dir: true }))),
      turn('p/g/h', { file: 'old h' }, null),
      turn('p/g', { dir: true }, null),
      { ...turn('n/m', { dir: true }, { dir: true }), op: 'move', from: 'p', at: 'p' },
      { ...turn('n/m/q/y', { file: 'old y' }, { file: 'new y' }), at: 'p/q/y' },
      turn('n/m/z', null, { file: 'new' }),
    ],
  },
  {
    name: 'eight files',
    before: Object.fromEntries(many(5).map((path) => [path, { file: 'old' }])),
    entries: many(8).map((path, i) =>
      turn(path, i < 5 ? { file: 'old' } : null, i === 0 ? null : { file: `new ${i}` }),
    ),
  },
]
