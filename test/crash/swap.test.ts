import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commitEntries } from '../../src/commit/index.js'
import { inputFor, listing, newBench, turn } from '../commit/kit.js'
import { quickDisk } from './faulty-disk.js'

const TRIES = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 300)

/** Plain JavaScript, so that it runs at once: swaps the directory for a symlink and back, as fast as it can. */
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

it('changes nothing outside while a parent is swapped for a symlink', async () => {
  const bench = newBench({ 'd/keep': { file: 'x' } })
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-outside-')))
  for (let i = 0; i < TRIES; i += 1) {
    // The same names with the same contents on both sides: only where they lie tells them apart.
    for (const dir of [join(bench.root, 'd'), outside]) {
      writeFileSync(join(dir, `over-${i}`), 'old', { mode: 0o644 })
      writeFileSync(join(dir, `gone-${i}`), 'old', { mode: 0o644 })
      writeFileSync(join(dir, `mode-${i}`), 'old', { mode: 0o644 })
      mkdirSync(join(dir, `dir-${i}`), { mode: 0o755 })
    }
  }
  const before = listing(outside)
  const swapper = spawn(process.execPath, ['-e', SWAPPER, join(bench.root, 'd'), outside], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    const disk = quickDisk()
    let taken = 0
    for (let i = 0; i < TRIES; i += 1) {
      const entries = [
        turn(`d/over-${i}`, { file: 'old' }, { file: 'new' }),
        turn(`d/gone-${i}`, { file: 'old' }, null),
        turn(`d/mode-${i}`, { file: 'old' }, { file: 'old', mode: 0o600 }),
        turn(`d/dir-${i}`, { dir: true }, null),
        turn(`d/new-${i}`, null, { file: 'new' }),
        turn(`d/newdir-${i}/x`, null, { file: 'new' }),
      ]
      const result = await commitEntries(inputFor(bench, entries, { strict: i % 2 === 0 }), disk).catch(() => undefined)
      if (result !== undefined) taken += 1
    }
    expect(listing(outside)).toEqual(before)
    expect(taken).toBeGreaterThan(0)
  } finally {
    swapper.kill('SIGKILL')
    await new Promise((resolve) => swapper.once('close', resolve))
    bench.remove()
    rmSync(outside, { recursive: true, force: true })
  }
})
