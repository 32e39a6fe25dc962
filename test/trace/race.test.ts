import { execFile, execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { compileOnce } from '../support/compiled.js'
import { draftOf, linesOf, metadataOf, NO_LOCK, workspaces } from './support.js'

const run = promisify(execFile)
const CHILD = `${compileOnce()}/test/children/appending.js`

describe('several processes appending at once', () => {
  const workspace = workspaces()

  async function appendFrom(layout: Layout, processes: number, ...args: string[]): Promise<void> {
    const child = (who: number) => run(process.execPath, [CHILD, layout.root, `p${who}`, ...args])
    await Promise.all(Array.from({ length: processes }, (_, who) => child(who)))
  }

  /** The records of each process are complete, once, and in its order; all others are repairs. */
  function expectAll(layout: Layout, processes: number, count: number): void {
    const lines = linesOf(layout)
    expect(lines.map((line) => metadataOf(line).seq)).toEqual(lines.map((_, n) => n + 1))
    const calls = lines.filter((line) => metadataOf(line).type !== 'recovered').map((line) => JSON.parse(line).req_id)
    expect(calls).toHaveLength(processes * count)
    for (let who = 0; who < processes; who++) {
      const mine = calls.filter((id) => id.startsWith(`p${who}-`))
      expect(mine).toEqual(Array.from({ length: count }, (_, n) => `p${who}-${n}`))
    }
  }

  it('make one chain without gaps', async () => {
    const layout = workspace()
    const { ESCROWFS_APPENDERS: appenders = 4, ESCROWFS_APPENDS: appends = 25 } = process.env
    const [processes, count] = [Number(appenders), Number(appends)]
    await appendFrom(layout, processes, `${count}`, '1')
    expect(await openLedger(layout).verify()).toEqual({
      ok: true,
      records: processes * count,
      anchored: processes * count,
    })
    expectAll(layout, processes, count)
    expect(linesOf(layout).some((line) => metadataOf(line).type === 'recovered')).toBe(false)
  })

  it('report no false problem to a process that looks for one', async () => {
    const layout = workspace()
    let isDone = false
    const appending = run(process.execPath, [CHILD, layout.root, 'p0', '4000', '40']).finally(() => {
      isDone = true
    })
    const problems: (string | undefined)[] = []
    while (!isDone) problems.push(await openLedger(layout).problem())
    await appending
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  })

  it('make one chain even without the lock', async () => {
    const layout = workspace()
    await appendFrom(layout, 3, '60', '3', 'nolock')
    const lines = linesOf(layout)
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: lines.length, anchored: lines.length })
    expectAll(layout, 3, 60)
  })

  it('one that was suspended while its numbers were used and pruned continues at the end', async () => {
    const layout = workspace()
    const ledger = openLedger(layout, NO_LOCK)
    await ledger.append([draftOf()])
    let slept = false
    const draft = {
      ...draftOf({ reqId: 'late' }),
      // Read when the record is built: after the file was read, before its number is linked.
      get words() {
        if (!slept) execFileSync(process.execPath, [CHILD, layout.root, 'p0', '12', '1', 'nolock'])
        slept = true
        return 'awake'
      },
    }
    await ledger.append([draft])
    const lines = linesOf(layout)
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 14, anchored: 14 })
    expect(JSON.parse(lines[13] ?? '')).toMatchObject({ req_id: 'late' })
    expect(readdirSync(layout.ledgerDir).filter((name) => name.startsWith('2-'))).toEqual([])
  })
})
