import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isOwned, takeOwnership } from '../../src/os/owner.js'
import { thisProcess } from '../../src/os/process.js'
import { startChild } from '../children/run.js'
import { tempDir } from '../support/facade.js'

function place(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return join(path, 'session', 'owner')
}

/** The owner record of a dead process: our own pid, from before it was reused. */
const dead = (nonce: string) => JSON.stringify({ ...thisProcess(), start: '1', nonce })

describe('an owner file', () => {
  it('is taken, visible, and released without a trace', async () => {
    const file = place()
    expect(isOwned(file)).toBe(false)
    const lease = await takeOwnership(file, 0)
    expect(isOwned(file)).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid })
    lease?.release()
    expect(readdirSync(join(file, '..'))).toEqual([])
    lease?.release()
    expect(await takeOwnership(file, 0)).toBeDefined()
  })

  it('of a living process is waited for, and not taken after the time limit', async () => {
    const file = place()
    const child = startChild('owner.ts', file)
    expect(await child.line()).toBe('mine')
    expect(await takeOwnership(file, 60)).toBeUndefined()
    expect(isOwned(file)).toBe(true)
    const waiting = takeOwnership(file, 20_000)
    child.say('let go')
    const lease = await waiting
    expect(lease).toBeDefined()
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid })
    expect(readdirSync(join(file, '..'))).toEqual(['owner'])
  })

  it('can still be taken by a waiting process after the owner removes the directory', async () => {
    const file = place()
    const first = await takeOwnership(file, 0)
    const waiting = takeOwnership(file, 60_000)
    renameSync(dirname(file), join(file, '../../removed'))
    first?.release()
    const second = await waiting
    expect(isOwned(file)).toBe(true)
    expect(readdirSync(dirname(file))).toEqual(['owner'])
    second?.release()
    expect(isOwned(file)).toBe(false)
  })

  it('of a stopped process is not stolen', async () => {
    const file = place()
    const child = startChild('owner.ts', file)
    await child.line()
    child.process.kill('SIGSTOP')
    expect(await takeOwnership(file, 100)).toBeUndefined()
    expect(isOwned(file)).toBe(true)
  })

  it('of a killed process is taken over at once', async () => {
    const file = place()
    const child = startChild('owner.ts', file)
    await child.line()
    await child.kill()
    expect(isOwned(file)).toBe(false)
    expect(await takeOwnership(file, 0)).toBeDefined()
    expect(readdirSync(join(file, '..'))).toEqual(['owner'])
  })

  it('of a reused pid is taken over, by its start time', async () => {
    const file = place()
    await takeOwnership(file, 0).then((lease) => lease?.release())
    writeFileSync(file, dead('a'))
    expect(isOwned(file)).toBe(false)
    expect(await takeOwnership(file, 0)).toBeDefined()
  })

  it('is taken over after a second death during the takeover, and leaves no other files', async () => {
    const file = place()
    await takeOwnership(file, 0).then((lease) => lease?.release())
    writeFileSync(file, dead('a'))
    writeFileSync(`${file}.bury.a`, dead('b'))
    writeFileSync(`${file}.bury.b`, dead('c'))
    expect(await takeOwnership(file, 0)).toBeDefined()
    expect(readdirSync(join(file, '..'))).toEqual(['owner'])
  })

  it('is not taken while a living one is taking it over', async () => {
    const file = place()
    await takeOwnership(file, 0).then((lease) => lease?.release())
    writeFileSync(file, dead('a'))
    writeFileSync(`${file}.bury.a`, JSON.stringify({ ...thisProcess(), nonce: 'b' }))
    expect(await takeOwnership(file, 60)).toBeUndefined()
    expect(existsSync(file)).toBe(true)
  })

  it('that was taken over is not released by its former owner', async () => {
    const file = place()
    const lease = await takeOwnership(file, 0)
    writeFileSync(file, JSON.stringify({ ...thisProcess(), nonce: 'another' }))
    lease?.release()
    expect(existsSync(file)).toBe(true)
  })

  it('with a damaged record is never taken, and the error names the file', async () => {
    const file = place()
    await takeOwnership(file, 0).then((lease) => lease?.release())
    const traversing = JSON.stringify({ ...thisProcess(), start: '1', nonce: '../../x' })
    for (const text of ['', 'no json', '{}', '[]', 'null', traversing]) {
      writeFileSync(file, text)
      await expect(takeOwnership(file, 60), text).rejects.toMatchObject({
        reason: 'session_busy',
        message: expect.stringContaining(file),
        hint: expect.stringContaining('remove that file'),
      })
      expect(isOwned(file)).toBe(true)
      expect(readFileSync(file, 'utf8')).toBe(text)
    }
  })

  it('is never held by two of four processes', { timeout: 60_000 }, async () => {
    const file = place()
    const racers = Array.from({ length: 4 }, () => startChild('racer.ts', file, `${file}.room`, '40'))
    expect(await Promise.all(racers.map((racer) => racer.line()))).toEqual(['40', '40', '40', '40'])
  })

  it('of a dead process is taken by one of many waiters', { timeout: 60_000 }, async () => {
    const file = place()
    await takeOwnership(file, 0).then((lease) => lease?.release())
    for (let round = 0; round < 2; round += 1) {
      writeFileSync(file, dead(`dead-${round}`))
      const children = Array.from({ length: 3 }, () => startChild('owner.ts', file, '0'))
      const lines = await Promise.all(children.map((child) => child.line()))
      // Without a time limit a loser may see an unfinished takeover: then nobody owns it, but never two.
      expect(lines.filter((word) => word === 'mine').length).toBeLessThanOrEqual(1)
      const mine = children[lines.indexOf('mine')]
      if (mine) expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: mine.process.pid })
      for (const child of children) await child.kill()
    }
  })
})
