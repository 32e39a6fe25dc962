import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitEntries } from '../../src/commit/index.js'
import { type Bench, entryFor, inputFor, listing, newBench } from '../commit/kit.js'
import { quickDisk, reportingDisk } from './faulty-disk.js'

const TRIES = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 200)

/** Plain JavaScript, so that it starts quickly: replaces the directory by a symlink and back, as fast as it can. */
const SWAPPER = `
  const fs = require('node:fs')
  const [dir, outside] = process.argv.slice(1)
  process.stdout.write('.')
  for (;;) {
    fs.renameSync(dir, dir + '.real')
    fs.symlinkSync(outside, dir)
    fs.unlinkSync(dir)
    fs.renameSync(dir + '.real', dir)
  }
`

/**
 * Creates the same names with the same contents on both sides, so that a commit can only distinguish them by directory.
 */
function createBoth(bench: Bench, outside: string, tries: number): void {
  for (let i = 0; i < tries; i += 1) {
    for (const dir of [join(bench.root, 'd'), outside]) {
      writeFileSync(join(dir, `over-${i}`), 'old', { mode: 0o644 })
      writeFileSync(join(dir, `gone-${i}`), 'old', { mode: 0o644 })
      writeFileSync(join(dir, `mode-${i}`), 'old', { mode: 0o644 })
      mkdirSync(join(dir, `dir-${i}`), { mode: 0o755 })
    }
  }
}

function entriesOf(i: number) {
  return [
    entryFor(`d/over-${i}`, { file: 'old' }, { file: 'new' }),
    entryFor(`d/gone-${i}`, { file: 'old' }, null),
    entryFor(`d/mode-${i}`, { file: 'old' }, { file: 'old', mode: 0o600 }),
    entryFor(`d/dir-${i}`, { dir: true }, null),
    entryFor(`d/new-${i}`, null, { file: 'new' }),
    entryFor(`d/newdir-${i}/x`, null, { file: 'new' }),
  ]
}

/** Each span is the number of calls during which the symlink exists. */
it.each([1, 4, Number.POSITIVE_INFINITY])(
  'changes nothing outside while a symlink is there for %s calls',
  async (span) => {
    let taken = 0
    for (const strict of [false, true]) {
      for (let at = 1, isOver = false; !isOver; at += 1) {
        const bench = newBench({ 'd/keep': { file: 'x' } })
        const outside = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-outside-')))
        createBoth(bench, outside, 1)
        const before = listing(outside)
        const dir = join(bench.root, 'd')
        let isSwapped = false
        const swap = () => {
          renameSync(dir, `${dir}.real`)
          symlinkSync(outside, dir)
          isSwapped = true
        }
        const swapBack = () => {
          unlinkSync(dir)
          renameSync(`${dir}.real`, dir)
          isSwapped = false
        }
        const { disk, count } = reportingDisk(({ n }) => {
          if (n === at) swap()
          else if (n === at + span) swapBack()
        }, 'all')
        const result = await commitEntries(inputFor(bench, entriesOf(0), { strict }), disk).catch(() => undefined)
        expect(listing(outside), `call ${at}`).toEqual(before)
        isOver = count() < at
        if (isSwapped) swapBack()
        if (result !== undefined && !isOver) taken += 1
        bench.remove()
        rmSync(outside, { recursive: true, force: true })
      }
    }
    // Otherwise the test would prove nothing: a commit that fails at the first swap changes nothing outside either.
    expect(taken).toBeGreaterThan(0)
  },
)

it('changes nothing outside while another process replaces a parent with a symlink, and continues afterwards', async () => {
  const bench = newBench({ 'd/keep': { file: 'x' } })
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-outside-')))
  createBoth(bench, outside, TRIES + 1)
  const before = listing(outside)
  const swapper = spawn(process.execPath, ['-e', SWAPPER, join(bench.root, 'd'), outside], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => swapper.once('close', resolve))
  try {
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    const disk = quickDisk()
    for (let i = 0; i < TRIES; i += 1) {
      // The number of successful commits depends on the scheduler.
      await commitEntries(inputFor(bench, entriesOf(i), { strict: i % 2 === 0 }), disk).catch(() => undefined)
    }
    swapper.kill('SIGKILL')
    await ended
    expect(listing(outside)).toEqual(before)
    const dir = join(bench.root, 'd')
    if (existsSync(`${dir}.real`)) {
      rmSync(dir, { recursive: true, force: true })
      renameSync(`${dir}.real`, dir)
    }
    const result = await commitEntries(inputFor(bench, entriesOf(TRIES)), disk)
    expect(result.conflicts).toEqual([])
    expect(listing(outside)).toEqual(before)
  } finally {
    swapper.kill('SIGKILL')
    await ended
    bench.remove()
    rmSync(outside, { recursive: true, force: true })
  }
})
