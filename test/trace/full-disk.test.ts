import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { compileOnce } from '../support/compiled.js'
import { draftOf, linesOf, metadataOf, workspaces } from './support.js'

const CHILD = `${compileOnce()}/test/children/appending.js`

describe('an append that the disk refuses', () => {
  const workspace = workspaces()

  /** Appends in a process that may write no file beyond 8 KiB. */
  function appendRefused(layout: Layout, count: number): void {
    const command = `ulimit -f 16 && exec "$0" "$@"`
    const args = [CHILD, layout.root, 'refused', `${count}`, `${count}`]
    const append = () => execFileSync('sh', ['-c', command, process.execPath, ...args], { stdio: 'pipe' })
    expect(append).toThrow(/cannot be used: EFBIG/)
  }

  async function fillTo(layout: Layout, size: number): Promise<Buffer> {
    const ledger = openLedger(layout)
    do await ledger.append([draftOf()])
    while (statSync(`${layout.ledgerFile}`).size < size)
    return readFileSync(`${layout.ledgerFile}`)
  }

  it('records nothing, not even with the next append', async () => {
    const layout = workspace()
    const before = await fillTo(layout, 8192)
    const copies = readdirSync(layout.ledgerDir)
    appendRefused(layout, 3)
    expect(readdirSync(layout.ledgerDir)).toEqual(copies)
    const records = linesOf(layout).length
    expect(await openLedger(layout).verify()).toMatchObject({ ok: true, records })
    await openLedger(layout).append([draftOf({ reqId: 'next' })])
    expect(readFileSync(`${layout.ledgerFile}`).subarray(0, before.length).equals(before)).toBe(true)
    expect(
      linesOf(layout)
        .slice(records)
        .map((line) => metadataOf(line).type),
    ).toEqual(['tool_call'])
  })

  it('leaves no part of it', async () => {
    const layout = workspace()
    const before = await fillTo(layout, 6500)
    appendRefused(layout, 5)
    expect(readFileSync(`${layout.ledgerFile}`).equals(before)).toBe(true)
    expect(await openLedger(layout).verify()).toMatchObject({ ok: true, records: linesOf(layout).length })
  })
})
