import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

interface Running {
  readonly pid: number
  readonly parent: number
  readonly name: string
}

function nameOf(pid: number): string {
  return processes().find((each) => each.pid === pid)?.name ?? ''
}

/** The processes below this one, outer ones first, without zombies. */
function descendants(of = process.pid, all: readonly Running[] = processes()): number[] {
  const own = all.filter(({ parent }) => parent === of)
  return own.flatMap(({ pid }) => [pid, ...descendants(pid, all)])
}

function processes(): Running[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      const [, pid, name = '', state, parent] = STAT.exec(readFileSync(`/proc/${Number(entry)}/stat`, 'utf8')) ?? []
      return state === 'Z' ? [] : [{ pid: Number(pid), parent: Number(parent), name }]
    } catch {
      return []
    }
  })
}

/** Process id, name, state and parent (proc(5)). */
const STAT = /^(\d+) \((.*)\) (\S) (\d+) /s

describe.each(PROVIDERS)('in %s', (name) => {
  withProvider(name)

  it('a command of which one process is killed is staged or fails, the next one works, and nothing is left', async () => {
    const others = new Set(descendants())
    const own = () => descendants().filter((pid) => !others.has(pid))
    const { session, workspace } = await site({ 'src/a': 'a\n' })
    await session.exec('echo 1 > src/first')
    let killed = 0
    for (;;) {
      const running = session.exec(`echo ${killed} > src/second; sleep 1; echo ${killed} > src/third`).then(
        ({ exitCode }) => exitCode,
        ({ message }: Error) => message,
      )
      await vi.waitFor(() => expect(own().map(nameOf)).toContain('sleep'), { timeout: 20_000, interval: 20 })
      const victim = own()[killed]
      if (victim === undefined) {
        expect(await running).toBe(0)
        break
      }
      killed++
      process.kill(victim, 'SIGKILL')
      const end = await running
      if (typeof end === 'string') expect(end).toMatch(/none of (?:them|its changes) was staged/)
      const { stdout, exitCode } = await session.exec('cat src/first src/third')
      if (end === 0) expect([stdout.toString(), exitCode]).toEqual([`1\n${killed - 1}\n`, 0])
      else expect(stdout.toString()).toMatch(/^1\n/)
    }
    expect(killed).toBeGreaterThanOrEqual(5)
    await workspace.close()
    await vi.waitFor(() => expect(own()).toEqual([]), { timeout: 20_000 })
  })
})
