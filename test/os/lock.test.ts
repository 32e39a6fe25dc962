import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { assertHeld, withProcessLock } from '../../src/os/lock.js'
import { thisProcess } from '../../src/os/process.js'
import { tempDir } from '../support/facade.js'

let dir: { path: string; dispose(): void }
beforeEach(() => {
  dir = tempDir()
})
afterEach(() => {
  vi.restoreAllMocks()
  dir.dispose()
})

/** Moves the wall clock. */
function moveClock(milliseconds: number): void {
  const { now } = Date
  vi.spyOn(Date, 'now').mockImplementation(() => now() + milliseconds)
}

/** A lock that proper-lockfile does not consider stale for an hour. */
function writeHolder(holder: Record<string, unknown>): void {
  const lock = join(dir.path, 'commit.lock')
  mkdirSync(lock)
  const later = new Date(Date.now() + 3_600_000)
  utimesSync(lock, later, later)
  writeFileSync(join(dir.path, 'commit.holder'), JSON.stringify(holder))
}

/** What a process does that frees and takes the lock of one that was stopped for too long. */
function takeOver(): void {
  rmdirSync(join(dir.path, 'commit.lock'))
  rmSync(join(dir.path, 'commit.holder'))
  writeHolder({ ...thisProcess(), nonce: 'other' })
}

describe('the process lock', () => {
  it('has one holder at a time', async () => {
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await new Promise((done) => setTimeout(done, 2))
      inside--
    }
    await Promise.all(Array.from({ length: 8 }, () => withProcessLock(dir.path, 'commit', work)))
    expect(most).toBe(1)
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('is taken over at once from a dead holder, however recent it is', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', ''])
    writeHolder({ ...thisProcess(), pid, nonce: 'dead' })
    expect(await withProcessLock(dir.path, 'commit', () => 'in')).toBe('in')
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('is taken over soon from a process that died before it could sign', async () => {
    mkdirSync(join(dir.path, 'commit.lock'))
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(join(dir.path, 'commit.lock'), later, later)
    let entered = false
    const waiting = withProcessLock(dir.path, 'commit', () => {
      entered = true
    })
    await new Promise((done) => setTimeout(done, 150))
    expect(entered).toBe(false)
    await waiting
    expect(readdirSync(dir.path)).toEqual([])
  })

  it('is free again at once if its holder could not sign', async () => {
    mkdirSync(join(dir.path, 'commit.holder'))
    await expect(withProcessLock(dir.path, 'commit', () => 'in')).rejects.toMatchObject({ code: 'EISDIR' })
    expect(readdirSync(dir.path)).toEqual(['commit.holder'])
  })

  it('is lost at once to a process that took it over, and not released by the one that lost it', async () => {
    const seen: boolean[] = []
    await withProcessLock(dir.path, 'commit', (lost) => {
      seen.push(lost())
      takeOver()
      seen.push(lost())
    })
    expect(seen).toEqual([false, true])
    expect(readdirSync(dir.path)).toEqual(['commit.holder', 'commit.lock'])
    expect(readFileSync(join(dir.path, 'commit.holder'), 'utf8')).toContain('"nonce":"other"')
  })

  it('is not removed by a process that lost it and exits', () => {
    const lock = JSON.stringify(join(import.meta.dirname, '../../src/os/lock.ts'))
    const [locks, holder] = [dir.path, join(dir.path, 'commit.holder')].map((path) => JSON.stringify(path))
    const code = `import { assertHeld, withProcessLock } from ${lock}
      import { writeFileSync } from 'node:fs'
      await withProcessLock(${locks}, 'commit', () => {
        writeFileSync(${holder}, JSON.stringify({ nonce: 'other' }))
        process.exit(0)
      })`
    const { status } = spawnSync(process.execPath, ['--import', './ts-node.mjs', '--input-type=module', '-e', code])
    expect(status).toBe(0)
    expect(readdirSync(dir.path)).toEqual(['commit.holder', 'commit.lock'])
  })

  it('refuses a write of a process that lost it', () => {
    const refused = () => assertHeld(() => true, 'policy.yaml')
    expect(refused).toThrow('Another process took over policy.yaml while this one was stopped. Nothing was written.')
    expect(() => assertHeld(() => false, 'policy.yaml')).not.toThrow()
  })

  it('is taken, used and released in one run for synchronous work', async () => {
    const seen: boolean[] = []
    const isHeld = () => existsSync(join(dir.path, 'commit.lock'))
    await withProcessLock(dir.path, 'commit', () => {
      seen.push(isHeld())
      // Other code of this process that runs in between finds it free.
      queueMicrotask(() => seen.push(isHeld()))
    })
    expect(seen).toEqual([true, false])
    await expect(
      withProcessLock(dir.path, 'commit', () => {
        throw new Error('broken')
      }),
    ).rejects.toThrow('broken')
    expect(isHeld()).toBe(false)
  })

  it('is not taken from a living holder, nor from one on another machine', async () => {
    for (const holder of [thisProcess(), { ...thisProcess(), pid: 2 ** 22 + 1, host: 'elsewhere', boot: 'another' }]) {
      writeHolder({ ...holder, nonce: 'alive' })
      let entered = false
      const waiting = withProcessLock(dir.path, 'commit', () => {
        entered = true
      })
      await new Promise((done) => setTimeout(done, 150))
      expect(entered).toBe(false)
      expect(existsSync(join(dir.path, 'commit.lock'))).toBe(true)
      writeFileSync(join(dir.path, 'commit.holder'), JSON.stringify({ ...thisProcess(), start: '1', nonce: 'gone' }))
      await waiting
      expect(entered).toBe(true)
    }
  })

  it('is released when the work fails', async () => {
    await expect(withProcessLock(dir.path, 'commit', () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    )
    expect(await withProcessLock(dir.path, 'commit', () => 'in')).toBe('in')
  })

  it('is not taken from a holder that renews it if the clock was set forward', async () => {
    mkdirSync(join(dir.path, 'commit.lock'))
    writeFileSync(join(dir.path, 'commit.holder'), JSON.stringify({ ...thisProcess(), host: 'elsewhere', nonce: 'on' }))
    moveClock(3_600_000)
    let entered = false
    const waiting = withProcessLock(dir.path, 'commit', () => {
      entered = true
    })
    await new Promise((done) => setTimeout(done, 150))
    expect(entered).toBe(false)
    writeFileSync(join(dir.path, 'commit.holder'), JSON.stringify({ ...thisProcess(), start: '1', nonce: 'gone' }))
    await waiting
  })

  it('ends its wait, and frees a lock that nobody renews, if the clock was set back', async () => {
    writeHolder({ ...thisProcess(), host: 'elsewhere', nonce: 'off' })
    const limits = { staleMs: 60_000, waitMs: 100 }
    const waiting = withProcessLock(dir.path, 'commit', () => 'in', limits)
    moveClock(-3 * 3_600_000)
    await expect(waiting).rejects.toMatchObject({ code: 'ELOCKED' })
    expect(await withProcessLock(dir.path, 'commit', () => 'in', { staleMs: 200, waitMs: 60_000 })).toBe('in')
    expect(readdirSync(dir.path)).toEqual([])
  })
})
