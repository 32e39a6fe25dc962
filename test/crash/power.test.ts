import { describe, expect, it } from 'vitest'
import type { Disk } from '../../src/commit/disk.js'
import type { Layout } from '../../src/core/layout.js'
import { entryFor, type Tree } from '../commit/kit.js'
import { explore, type Mutant } from './power-model.js'
import { SHAPES, type Shape } from './shapes.js'

/** The number of states of the disk to try for each cut; `npm run soak -- power` sets a higher number. */
const STATES = Number(process.env.ESCROWFS_CRASH_STATES ?? 2)

const twenty = Array.from({ length: 20 }, (_, i) => `d${i}/f`)
/** Enough files for one flush of the file system to replace the syncs of single files. */
const FLUSHED: Shape = {
  name: 'twenty files in as many directories',
  before: Object.fromEntries(twenty.map((path) => [path, { file: 'old' }])) satisfies Tree,
  entries: twenty.map((path, i) => entryFor(path, { file: 'old' }, { file: `new ${i}` })),
}

const CASES = [...SHAPES, FLUSHED].flatMap((shape) => [false, true].map((strict) => ({ ...shape, strict, shape })))

describe('a power cut at every call, and again in the recovery', () => {
  it.each(CASES)('applies all or nothing: $name (strict: $strict)', async ({ shape, strict }) => {
    const stride = shape === FLUSHED ? 7 : 1
    const { states, violations } = await explore(shape, { strict, states: STATES, stride })
    expect(violations.slice(0, 3)).toEqual([])
    expect(states).toBeGreaterThan(20)
  })

  const [, overwrite] = SHAPES
  const eight = SHAPES.at(-1)
  it.each([
    ['one file', overwrite, 'a'],
    ['one of eight', eight, 'm/2.txt'],
  ] as const)('does not touch a file that another program saved in between (%s)', async (_name, shape, edited) => {
    for (const strict of [false, true]) {
      const found = shape && (await explore(shape, { strict, states: STATES, edited }))
      expect(found?.violations.slice(0, 3)).toEqual([])
    }
  })
})

/** The same disk with another implementation of one call. */
function withCall<K extends keyof Disk>(disk: Disk, name: K, make: (call: Disk[K]) => Disk[K]): Disk {
  return { ...disk, [name]: make(disk[name]) }
}

/** Leaves out the syncs of directories that `isIt` selects; `nth` counts the syncs of a directory from 1. */
function skipSyncs(isIt: (path: string, layout: Layout, nth: number) => boolean): NonNullable<Mutant['disk']> {
  return (disk, layout) => {
    const counts = new Map<string, number>()
    return withCall(disk, 'syncDir', (sync) => (path) => {
      const nth = (counts.get(path) ?? 0) + 1
      counts.set(path, nth)
      if (!isIt(path, layout, nth)) sync(path)
    })
  }
}

const isTx = (path: string, { tx }: Layout) => path.startsWith(`${tx}/`)

const MUTANTS: Mutant[] = [
  {
    name: 'new content is not synced',
    disk: (disk) =>
      withCall(
        withCall(disk, 'flush', () => () => true),
        'createFile',
        (create) => (path, data, mode, sync) => create(path, data, mode, sync && !path.endsWith('.new')),
      ),
  },
  {
    name: 'the plan is not synced',
    disk: (disk) =>
      withCall(disk, 'createFile', (create) => (path, data, mode, sync) => {
        create(path, data, mode, sync && !path.endsWith('.plan'))
      }),
  },
  {
    name: "the transaction's names are not synced before the commit point",
    disk: skipSyncs((path, layout, nth) => isTx(path, layout) && nth === 1),
  },
  { name: "the transaction's own name is not synced", disk: skipSyncs((path, { tx }) => path === tx) },
  { name: 'the commit point is not synced', disk: skipSyncs((path, { commits }) => path === commits) },
  {
    name: 'the directories of the tree are not synced',
    disk: skipSyncs((path, { dir, root }) => !path.startsWith(dir) && path !== root),
  },
  {
    name: 'a staged name goes before the new one is durable',
    disk: (disk) =>
      withCall(disk, 'link', (link) => (from, to) => {
        link(from, to)
        if (String(from).endsWith('.new')) disk.unlink(String(from))
      }),
  },
  {
    name: 'the plan is published after it was applied',
    disk: (disk, { commits }) => {
      let publish: (() => void) | undefined
      return withCall(
        withCall(disk, 'link', (link) => (from, to) => {
          if (String(to).startsWith(`${commits}/`)) publish = () => link(from, to)
          else link(from, to)
        }),
        'rename',
        (rename) => (from, to) => {
          if (String(from).startsWith(`${commits}/`)) publish?.()
          rename(from, to)
        },
      )
    },
  },
  {
    name: 'a commit is done before its record is written',
    append:
      (append, disk, { commits }) =>
      async (record) => {
        const seq = disk.readdir(commits).find((name) => /^\d+$/.test(name))
        if (seq !== undefined) disk.rename(`${commits}/${seq}`, `${commits}/${seq}.done`)
        await append(record)
      },
  },
  { name: 'the record is not written', append: () => async () => undefined },
  {
    name: 'new content is written at its place',
    disk: (disk) =>
      withCall(disk, 'rename', (rename) => (from, to) => {
        if (!String(from).endsWith('.new')) return rename(from, to)
        const data = disk.readFile(String(from))
        disk.unlink(String(to))
        disk.createFile(String(to), data, 0o644, false)
        disk.unlink(String(from))
      }),
  },
]

describe('each step of the protocol is needed', () => {
  const tried = [SHAPES[1], SHAPES[2], SHAPES.at(-1)].filter((shape) => shape !== undefined)

  it.each(MUTANTS)('caught: $name', async (mutant) => {
    let caught = 0
    for (const shape of tried) caught += (await explore(shape, { states: 6, mutant })).violations.length
    expect(caught).toBeGreaterThan(0)
  })

  it('only the sync after a finished commit can be omitted: the next recovery repeats it', async () => {
    const mutant = { name: '', disk: skipSyncs((path, { commits }, nth) => path === commits && nth === 2) }
    for (const shape of tried) expect((await explore(shape, { states: STATES, mutant })).violations).toEqual([])
  })
})
