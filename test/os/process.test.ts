import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive, isDead, isOutOfSight, startOf, thisProcess } from '../../src/os/process.js'

function child(): ReturnType<typeof spawn> {
  const spawned = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  onTestFinished(() => void spawned.kill('SIGKILL'))
  return spawned
}

async function deadChildPid(): Promise<number> {
  const process = child()
  await once(process, 'spawn')
  process.kill('SIGKILL')
  await once(process, 'close')
  return process.pid ?? 0
}

describe('a process identity', () => {
  it('has pid, host and start time, and stays the same', () => {
    const self = thisProcess()
    expect(self.pid).toBe(process.pid)
    expect(self.host).not.toBe('')
    if (process.platform === 'linux') {
      expect(self.start).toMatch(/^\d+$/)
      expect(self.boot).toMatch(/^[0-9a-f-]{36}$/)
      expect(self.pidNamespace).toMatch(/^pid:/)
    }
    expect(thisProcess()).toEqual(self)
  })
})

describe('life of a process', () => {
  it.runIf(process.platform === 'linux')('is reported only for the process itself, stopped or not', async () => {
    const stopped = child()
    await once(stopped, 'spawn')
    const pid = stopped.pid ?? 0
    const identity = { ...thisProcess(), pid, start: startOf(pid) ?? '' }
    stopped.kill('SIGSTOP')
    expect(isAlive(identity)).toBe(true)
    expect(isAlive({ ...identity, start: '1' })).toBe(false)
    expect(isAlive({ ...identity, start: '' })).toBe(false)
    expect(isAlive({ ...identity, boot: 'another' })).toBe(false)
    expect(isAlive({ ...identity, pidNamespace: 'pid:[1]' })).toBe(false)
    stopped.kill('SIGKILL')
    await once(stopped, 'close')
    expect(isAlive(identity)).toBe(false)
  })
})

describe('a process out of sight', () => {
  it('is one on another machine or in another pid namespace', () => {
    const self = thisProcess()
    expect(isOutOfSight(self)).toBe(false)
    expect(isOutOfSight({ ...self, host: 'another-host', boot: 'another' })).toBe(true)
    expect(isOutOfSight({ ...self, host: 'another-host', boot: '' })).toBe(true)
    expect(isOutOfSight({ ...self, pidNamespace: 'pid:[1]' })).toBe(true)
  })
})

describe('death of a process', () => {
  it('is never reported for this process or another living one', async () => {
    const other = child()
    await once(other, 'spawn')
    expect(isDead(thisProcess())).toBe(false)
    expect(isDead({ ...thisProcess(), pid: other.pid ?? 0, start: '' })).toBe(false)
  })

  it('is reported for a process that ended', async () => {
    expect(isDead({ ...thisProcess(), pid: await deadChildPid(), start: '1' })).toBe(true)
  })

  it.runIf(process.platform === 'linux')(
    'is reported if another process has its pid by now, with another start time',
    () => {
      expect(isDead({ ...thisProcess(), start: '1' })).toBe(true)
    },
  )

  it.runIf(process.platform === 'linux')(
    'is reported for every process from before the last boot, whoever has its pid now',
    () => {
      expect(isDead({ ...thisProcess(), boot: '00000000-0000-0000-0000-000000000000' })).toBe(true)
    },
  )

  it('is never reported if unknown: another machine, another pid namespace', async () => {
    const gone = { ...thisProcess(), pid: await deadChildPid(), start: '1' }
    expect(isDead({ ...gone, host: 'another-host', boot: '' })).toBe(false)
    expect(isDead({ ...gone, pidNamespace: 'pid:[1]' })).toBe(false)
    expect(isDead({ ...gone, host: 'another-host', boot: 'another' })).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is reported if the name of the machine has changed since', async () => {
    const gone = { ...thisProcess(), pid: await deadChildPid(), start: '1' }
    expect(isDead({ ...gone, host: 'earlier-name' })).toBe(true)
    expect(isDead({ ...thisProcess(), host: 'earlier-name', start: '1' })).toBe(true)
    expect(isDead({ ...thisProcess(), host: 'earlier-name' })).toBe(false)
  })

  it('is not reported if the start time is unknown and the pid is alive', () => {
    expect(isDead({ ...thisProcess(), start: '' })).toBe(false)
  })

  it.runIf(process.platform === 'linux')('is reported for a zombie', async () => {
    // The shell's own child ends at once, and after exec of sleep nothing reaps it.
    const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [data] = (await once(parent.stdout, 'data')) as [Buffer]
    const zombie = { ...thisProcess(), pid: Number(data.toString()), start: '' }
    await expect.poll(() => isDead(zombie)).toBe(true)
  })
})
