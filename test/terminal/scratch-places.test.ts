import { mkdtempSync, realpathSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isInMemory } from '../../src/os/flush.js'
import { makeTempDir } from '../../src/os/write.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { copyParent, hasCopyParent, scratchParent } from '../../src/terminal/scratch-places.js'

let isAllInMemory = false
/** The directories that keep whole seconds. */
let coarse: readonly string[] = []

vi.mock('../../src/os/flush.js', async (load) => {
  const flush = await load<typeof import('../../src/os/flush.js')>()
  return { ...flush, isInMemory: (path: string) => isAllInMemory || flush.isInMemory(path) }
})

vi.mock('../../src/os/fine-times.js', () => ({ keepsFineTimes: (path: string) => !coarse.includes(path) }))

const TMPFS = 0x01021994

let root: string
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'places-'))
})
afterEach(() => {
  isAllInMemory = false
  coarse = []
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true })
})

it('puts copies on a disk, also where TMPDIR is in memory', () => {
  vi.stubEnv('TMPDIR', '/dev/shm')
  expect(statfsSync('/dev/shm').type).toBe(TMPFS)
  expect(isInMemory('/dev/shm')).toBe(true)
  expect(scratchParent('/nowhere')).toBe('/dev/shm')
  expect(hasCopyParent()).toBe(true)
  expect(statfsSync(copyParent('/nowhere')).type).not.toBe(TMPFS)
})

it('puts copies where each change of a file shows in its time, also where TMPDIR keeps whole seconds', () => {
  vi.stubEnv('TMPDIR', root)
  expect(copyParent('/nowhere')).toBe(root)
  coarse = [root]
  expect(copyParent('/nowhere')).not.toBe(root)
  expect(scratchParent('/nowhere')).toBe(root)
  coarse = [root, '/tmp', '/var/tmp'].map((path) => realpathSync(path))
  expect(() => copyParent('/nowhere')).toThrow('or on file systems that keep whole seconds.')
  expect(hasCopyParent()).toBe(false)
})

it('is never in the workspace', () => {
  vi.stubEnv('TMPDIR', root)
  expect(scratchParent(root)).not.toBe(root)
  expect(copyParent(root)).not.toBe(root)
})

it('is refused for copies if every directory is in memory', async () => {
  isAllInMemory = true
  expect(() => copyParent('/nowhere')).toThrow(
    'All directories for temporary files outside the workspace are in memory, or on file systems that keep whole seconds.',
  )
  expect(hasCopyParent()).toBe(false)
  const copies = CONTAINMENTS.filter(({ tree }) => tree === 'copy')
  expect(copies.length).toBeGreaterThan(0)
  for (const { attempt } of copies) {
    const { failure } = { failure: undefined, ...(await attempt()) }
    expect(failure).toMatchObject({ what: 'temporary files', fix: expect.stringContaining('TMPDIR') })
  }
})

it('ignores a TMPDIR that is a file, and explains a directory that cannot be created', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  vi.stubEnv('TMPDIR', file)
  expect(scratchParent('/nowhere')).toBe(realpathSync('/tmp'))
  expect(() => makeTempDir(`${file}/x-`)).toThrow(`A temporary directory cannot be created in ${file}: ENOTDIR.`)
})
