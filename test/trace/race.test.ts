import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { linesOf, own, workspaces } from './support.js'

const run = promisify(execFile)
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

describe('several processes appending at once', () => {
  const workspace = workspaces()

  async function appendFrom(layout: Layout, processes: number, ...args: string[]): Promise<void> {
    const child = (who: number) =>
      run(process.execPath, [
        '--import',
        here('../../ts-node.mjs'),
        here('append-child.ts'),
        layout.root,
        `p${who}`,
        ...args,
      ])
    await Promise.all(Array.from({ length: processes }, (_, who) => child(who)))
  }

  /** Each process's records are all there, once, in its order; what is beside them are repairs. */
  function expectAll(layout: Layout, processes: number, count: number): void {
    const lines = linesOf(layout)
    expect(lines.map((line) => own(line).seq)).toEqual(lines.map((_, n) => n + 1))
    const calls = lines.filter((line) => own(line).type !== 'recovered').map((line) => JSON.parse(line).req_id)
    expect(calls).toHaveLength(processes * count)
    for (let who = 0; who < processes; who++) {
      const mine = calls.filter((id) => id.startsWith(`p${who}-`))
      expect(mine).toEqual(Array.from({ length: count }, (_, n) => `p${who}-${n}`))
    }
  }

  it('make one chain without gaps', async () => {
    const layout = workspace()
    await appendFrom(layout, 4, '25', '1')
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 100 })
    expectAll(layout, 4, 25)
    expect(linesOf(layout).some((line) => own(line).type === 'recovered')).toBe(false)
  })

  it('make one chain even when none of them has the lock', async () => {
    const layout = workspace()
    await appendFrom(layout, 3, '60', '3', 'nolock')
    const lines = linesOf(layout)
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: lines.length })
    expectAll(layout, 3, 60)
  })
})
