import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commitEntries, committedSince, recover } from '../../src/commit/index.js'
import type { CommitInput } from '../../src/commit/types.js'
import { EscrowError } from '../../src/core/api-error.js'
import { type Bench, entryFor, inputFor, listing, newBench } from '../commit/kit.js'
import { CrashError, crashingDisk, type FaultyDisk, failingDisk, quickDisk, shortDisk } from './faulty-disk.js'
import { SHAPES, type Shape } from './shapes.js'

type Listing = Record<string, string>

/** Runs a commit on a faulty disk. Resolves to the error that it threw, or undefined. */
async function run(bench: Bench, faulty: FaultyDisk, shape: Shape, strict: boolean): Promise<unknown> {
  return commitEntries(faultyInput(bench, faulty, shape, strict), faulty.disk).then(
    () => undefined,
    (error: unknown) => error,
  )
}

function faultyInput(bench: Bench, faulty: FaultyDisk, shape: Shape, strict: boolean): CommitInput {
  return inputFor(bench, shape.entries, { strict, append: appendOn(bench, faulty) })
}

function appendOn(bench: Bench, faulty: FaultyDisk): CommitInput['append'] {
  return async (record) => {
    faulty.step('append')
    await bench.append(record)
    faulty.step('appended')
  }
}

async function newListing(shape: Shape): Promise<Listing> {
  const bench = newBench(shape.before)
  try {
    await commitEntries(inputFor(bench, shape.entries), quickDisk())
    return listing(bench.root)
  } finally {
    bench.remove()
  }
}

/**
 * Recovers after a crash. Expects the old or the new tree, in agreement with the ledger and the journal. With `goOn`,
 * expects that a next commit works.
 */
async function expectWhole(bench: Bench, before: Listing, after: Listing, where: string, goOn: boolean) {
  const disk = quickDisk()
  const first = await recover(bench.layout, bench.append, disk)
  expect(first.conflicts, where).toEqual([])
  const found = listing(bench.root)
  const isNew = committedSince(bench.layout, 0).length === 1
  expect(found, where).toEqual(isNew ? after : before)
  expect(bench.ledger.length, where).toBe(isNew ? 1 : 0)
  expect(existsSync(bench.layout.tx) ? readdirSync(bench.layout.tx).length : 0, where).toBe(isNew ? 1 : 0)
  expect(await recover(bench.layout, bench.append, disk), where).toEqual({ finished: [], removed: [], conflicts: [] })
  if (!goOn) return
  await commitEntries(inputFor(bench, [entryFor('next', null, { file: 'next' })]), disk)
  expect(listing(bench.root), where).toEqual({ ...found, next: 'file 644 next' })
}

async function inBench<T>(shape: Shape, work: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = newBench(shape.before)
  try {
    return await work(bench)
  } finally {
    bench.remove()
  }
}

describe.each(SHAPES)('a crash during: $name', (shape) => {
  it.each([
    ['default', false],
    ['strict', true],
  ])('applies all or nothing at every call (%s)', async (_name, strict) => {
    const after = await newListing(shape)
    const crashAt = (n: number, torn: boolean) =>
      inBench(shape, async (bench) => {
        const before = listing(bench.root)
        const error = await run(bench, crashingDisk(n, torn), shape, strict)
        await expectWhole(bench, before, after, `crash at ${n}`, n % 5 === 0)
        return error instanceof CrashError ? error.message : ''
      })
    let where = 'start'
    for (let n = 1; where !== ''; n += 1) {
      where = await crashAt(n, false)
      if (where.endsWith('createFile')) await crashAt(n, true)
      expect(n).toBeLessThan(500)
    }
  })

  // All pairs of calls would take too long. The strides are coprime, so that over all shapes every kind of step is
  // interrupted in both the commit and the recovery.
  it('applies all or nothing when recovery crashes too', async () => {
    const after = await newListing(shape)
    let crashes = 0
    let where = 'start'
    for (let n = 3; where !== ''; n += 7) {
      for (let m = 1 + (n % 3), again = 'start'; again !== ''; m += 3) {
        again = await inBench(shape, async (bench) => {
          const before = listing(bench.root)
          const error = await run(bench, crashingDisk(n), shape, n % 2 === 0)
          where = error instanceof CrashError ? error.message : ''
          const faulty = crashingDisk(m)
          const recovered = recover(bench.layout, appendOn(bench, faulty), faulty.disk)
          const second: unknown = await recovered.catch((reason: unknown) => reason)
          await expectWhole(bench, before, after, `crash at ${n}, in recovery at ${m}`, false)
          crashes += 1
          return second instanceof CrashError ? second.message : ''
        })
      }
    }
    expect(crashes).toBeGreaterThan(3)
  })
})

const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EPERM', 'EROFS', 'EDQUOT', 'EXDEV', 'EBUSY'] as const
/**
 * `npm run soak -- faults` fails every call of every shape with every code; the normal run distributes the codes over
 * the shapes.
 */
const isWhole = process.env.ESCROWFS_FAULTS === 'all'

/** Runs a commit once for each of its calls, and fails that call with the code that `pick` returns. */
async function failEach(shape: Shape, pick: (n: number) => string, lasting: boolean): Promise<void> {
  const after = await newListing(shape)
  let failures = 0
  for (let n = 1, reached = true; reached; n += 1) {
    reached = await inBench(shape, async (bench) => {
      const before = listing(bench.root)
      const faulty = pick(n) === 'short' ? shortDisk(n) : failingDisk(n, pick(n), lasting)
      const error = await run(bench, faulty, shape, n % 3 === 0)
      if (error !== undefined) expect(error).toBeInstanceOf(EscrowError)
      if (error !== undefined) failures += 1
      await expectWhole(bench, before, after, `${pick(n)} at ${n}`, n % 3 === 0)
      return faulty.count() >= n
    })
  }
  expect(failures).toBeGreaterThan(pick(1) === 'short' ? 1 : 10)
}

describe('a failing disk gives a named error, never half a commit', () => {
  const [, overwrite, ...others] = SHAPES
  it.each(CODES)('at every call of an overwrite: %s', async (code) => {
    if (overwrite !== undefined) await failEach(overwrite, () => code, false)
  })

  it.each(others)('at every call of: $name', async (shape) => {
    const shift = SHAPES.indexOf(shape)
    for (const turn of isWhole ? CODES.keys() : [shift])
      await failEach(shape, (n) => CODES[(n + turn) % CODES.length] ?? 'EIO', false)
  })

  it.each(isWhole ? SHAPES : SHAPES.slice(-1))('when a write stops short: $name', async (shape) => {
    await failEach(shape, () => 'short', false)
  })

  it('and so does a disk that stays full', async () => {
    if (overwrite !== undefined) await failEach(overwrite, () => 'ENOSPC', true)
  })
})
