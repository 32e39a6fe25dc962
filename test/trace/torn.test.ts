import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { collect, draftOf, linesOf, NO_LOCK, workspaces } from './support.js'

const typesOf = (layout: Layout): unknown[] =>
  linesOf(layout).map((line) => JSON.parse(line).metadata['dev.escrowfs'].type)

describe('a torn last line', () => {
  const workspace = workspaces()
  afterEach(() => vi.unstubAllEnvs())

  async function twoRecords(layout: Layout): Promise<{ whole: Buffer; start: number }> {
    await openLedger(layout).append([draftOf(), draftOf({ words: 'naïve' })])
    const whole = readFileSync(`${layout.ledgerFile}`)
    return { whole, start: whole.indexOf('\n') + 1 }
  }

  it('is restored from its published copy, cut at any byte', async () => {
    const layout = workspace()
    const { whole, start } = await twoRecords(layout)
    // Each cut happens to a machine that has not seen another.
    vi.stubEnv('XDG_STATE_HOME', workspace().root)
    const copies = new Map(readdirSync(layout.ledgerDir).map((n) => [n, readFileSync(`${layout.ledgerDir}/${n}`)]))
    for (let cut = start + 1; cut < whole.length; cut++) {
      writeFileSync(`${layout.ledgerFile}`, whole.subarray(0, cut))
      const ledger = openLedger(layout, NO_LOCK)
      expect(await ledger.verify()).toMatchObject({ ok: false, firstBad: { line: 2 } })
      await ledger.append([draftOf()])
      expect(readFileSync(`${layout.ledgerFile}`).subarray(0, whole.length).equals(whole)).toBe(true)
      expect(typesOf(layout)).toEqual(['tool_call', 'tool_call', 'recovered', 'tool_call'])
      const torn = whole.subarray(start, cut)
      expect(JSON.parse(linesOf(layout)[2] ?? '').metadata['dev.escrowfs']).toMatchObject({
        bytes: torn.length,
        sha256: createHash('sha256').update(torn).digest('hex'),
        saved_as: 'agent_trace.jsonl.torn-1',
      })
      expect(readFileSync(`${layout.ledgerFile}.torn-1`).equals(torn)).toBe(true)
      expect(await openLedger(layout, NO_LOCK).verify()).toEqual({ ok: true, records: 4, anchored: 4 })
      rmSync(`${layout.ledgerFile}.torn-1`)
      rmSync(layout.ledgerDir, { recursive: true })
      rmSync(`${process.env.XDG_STATE_HOME}/escrowfs`, { recursive: true })
      restore(layout, copies)
    }
  })

  function restore(layout: Layout, copies: Map<string, Buffer>): void {
    mkdirSync(layout.ledgerDir)
    for (const [name, bytes] of copies) writeFileSync(`${layout.ledgerDir}/${name}`, bytes)
  }

  it('is removed if it has no copy', async () => {
    const layout = workspace()
    const { whole, start } = await twoRecords(layout)
    for (let cut = start + 1; cut < whole.length - 1; cut += 7) {
      rmSync(layout.ledgerDir, { recursive: true, force: true })
      writeFileSync(`${layout.ledgerFile}`, whole.subarray(0, cut))
      await openLedger(layout).append([draftOf()])
      expect(typesOf(layout)).toEqual(['tool_call', 'recovered', 'tool_call'])
      // The record had been acknowledged, so its loss is reported.
      expect(await openLedger(layout).verify()).toMatchObject({ ok: false, records: 3, firstBad: { line: 2 } })
    }
    expect(readFileSync(`${layout.ledgerFile}.torn-1`).equals(whole.subarray(start, start + 1))).toBe(true)
    expect(readFileSync(`${layout.ledgerFile}.torn-2`).equals(whole.subarray(start, start + 8))).toBe(true)
  })

  it('that lacks only its LF is kept, with a copy or without', async () => {
    const layout = workspace()
    const { whole } = await twoRecords(layout)
    rmSync(layout.ledgerDir, { recursive: true })
    writeFileSync(`${layout.ledgerFile}`, whole.subarray(0, -1))
    await openLedger(layout).append([draftOf()])
    expect(readFileSync(`${layout.ledgerFile}`).subarray(0, whole.length).equals(whole)).toBe(true)
    expect(typesOf(layout)).toEqual(['tool_call', 'tool_call', 'recovered', 'tool_call'])
  })

  it.each([
    ['zeros', '\0\0\0\0\n'],
    ['half a line and an LF', '{"version":"0.1\n'],
    ['an empty line', '\n'],
  ])('%s', async (_, garbage) => {
    const layout = workspace()
    const { whole } = await twoRecords(layout)
    writeFileSync(`${layout.ledgerFile}`, whole + garbage)
    expect(await collect(openLedger(layout).records())).toHaveLength(2)
    expect((await openLedger(layout).verify()).ok).toBe(false)
    await openLedger(layout).append([draftOf()])
    expect(readFileSync(`${layout.ledgerFile}.torn-1`, 'utf8')).toBe(garbage)
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 4, anchored: 4 })
  })

  it('can be the only line', async () => {
    const layout = workspace()
    writeFileSync(`${layout.ledgerFile}`, '{"versi')
    await openLedger(layout).append([draftOf()])
    expect(typesOf(layout)).toEqual(['recovered', 'tool_call'])
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 2, anchored: 2 })
  })

  it('records that were published and not written are written, and the repair is recorded', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await ledger.append([draftOf(), draftOf(), draftOf(), draftOf()])
    const lines = linesOf(layout)
    writeFileSync(`${layout.ledgerFile}`, `${lines.slice(0, 2).join('\n')}\n`)
    expect(await ledger.verify()).toMatchObject({ ok: false, firstBad: { line: 3 } })
    await ledger.append([draftOf()])
    expect(linesOf(layout).slice(0, 4)).toEqual(lines)
    expect(typesOf(layout).slice(4)).toEqual(['recovered', 'tool_call'])
    expect(existsSync(`${layout.ledgerFile}.torn-1`)).toBe(false)
  })

  it('an interrupted repair is repeated', async () => {
    const layout = workspace()
    const { whole } = await twoRecords(layout)
    writeFileSync(`${layout.ledgerFile}`, whole.subarray(0, -5))
    await openLedger(layout).append([draftOf()])
    // As after a kill between publishing the repair's record and writing it.
    writeFileSync(`${layout.ledgerFile}`, whole.subarray(0, -5))
    await openLedger(layout).append([draftOf()])
    expect(typesOf(layout)).toEqual(['tool_call', 'tool_call', 'recovered', 'tool_call', 'recovered', 'tool_call'])
    expect(readdirSync(layout.dir).filter((name) => name.includes('torn'))).toEqual(['agent_trace.jsonl.torn-1'])
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 6, anchored: 6 })
  })

  it('empty names in ledger.d after a power cut block no append', async () => {
    const layout = workspace()
    const { whole } = await twoRecords(layout)
    const [first = '', second = ''] = readdirSync(layout.ledgerDir).sort()
    const stateFile = (seq: number) => `${layout.ledgerDir}/${seq}-${'a'.repeat(16)}-none`
    expect(first).toBe('1-start-none')
    writeFileSync(`${layout.ledgerDir}/${second}`, '')
    writeFileSync(stateFile(3), '\0\0\0')
    writeFileSync(stateFile(4), whole.subarray(0, whole.indexOf('\n')))
    await openLedger(layout).append([draftOf()])
    expect(typesOf(layout)).toEqual(['tool_call', 'tool_call', 'tool_call'])
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 3, anchored: 3 })
  })
})
