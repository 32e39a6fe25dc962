import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/trace/ledger.js'
import { MAX_LINE } from '../../src/trace/lines.js'
import { draftOf, drafts, linesOf, workspaces } from './support.js'

describe('a ledger that is damaged in the middle', () => {
  const workspace = workspaces()

  async function damageLedger(damage: (lines: Buffer[]) => Buffer[]): Promise<ReturnType<typeof workspace>> {
    const layout = workspace()
    await openLedger(layout).append(drafts(4))
    const lines = linesOf(layout).map((line) => Buffer.from(line))
    const lf = Buffer.from('\n')
    writeFileSync(`${layout.ledgerFile}`, Buffer.concat(damage(lines).flatMap((line) => [line, lf])))
    return layout
  }

  it.each<[string, (lines: Buffer[]) => Buffer[], RegExp]>([
    ['not JSON', (lines) => lines.with(1, Buffer.from('{')), /line 2 is not JSON/i],
    ['not an object', (lines) => lines.with(1, Buffer.from('[]')), /line 2 is not a JSON object/i],
    ['an empty line', (lines) => lines.with(1, Buffer.alloc(0)), /line 2 is not JSON/i],
    ['not UTF-8', (lines) => lines.with(1, Buffer.from([0x22, 0xff, 0x22])), /line 2 is not valid UTF-8/i],
    ['too long', (lines) => lines.with(1, Buffer.alloc(MAX_LINE + 1, ' ')), /line 2 is longer than 16 MiB/i],
    ['too long, at the end', (lines) => lines.with(3, Buffer.alloc(MAX_LINE + 1, ' ')), /line 4 is longer/i],
    ['a removed line', (lines) => lines.toSpliced(1, 1), /line 2 has sequence number 3 where 2 is expected/i],
    [
      'an odd chain field',
      (lines) => lines.with(1, Buffer.from('{"metadata":{"dev.escrowfs":[]}}')),
      /line 2 has a meta/i,
    ],
  ])('%s: is reported, and never appended to', async (_, damage, message) => {
    const layout = await damageLedger(damage)
    const before = readFileSync(`${layout.ledgerFile}`)
    const ledger = openLedger(layout)
    await expect(ledger.append(drafts(1))).rejects.toMatchObject({
      reason: 'ledger_corrupt',
      message: expect.stringMatching(message),
      hint: expect.stringContaining('Restore'),
    })
    expect(await ledger.problem()).toMatch(message)
    await expect(ledger.appendOnce(draftOf())).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    expect(await ledger.verify()).toMatchObject({ ok: false, firstBad: { reason: expect.stringMatching(message) } })
    expect(readFileSync(`${layout.ledgerFile}`).equals(before)).toBe(true)
    expect(readdirSync(layout.dir).filter((name) => name.includes('torn'))).toEqual([])
  })

  it('a whole ledger, and one that the next append repairs, have no problem', async () => {
    const layout = await damageLedger((lines) => lines)
    expect(await openLedger(layout).problem()).toBeUndefined()
    writeFileSync(`${layout.ledgerFile}`, readFileSync(`${layout.ledgerFile}`).subarray(0, -20))
    expect(await openLedger(layout).problem()).toBeUndefined()
    await openLedger(layout).append(drafts(1))
    expect(await openLedger(workspace()).problem()).toBeUndefined()
  })

  it('makes records() throw at a line that it cannot read', async () => {
    const layout = await damageLedger((lines) => lines.with(2, Buffer.from('{')))
    const results: unknown[] = []
    const reading = (async () => {
      for await (const record of openLedger(layout).records()) results.push(record)
    })()
    await expect(reading).rejects.toMatchObject({
      reason: 'ledger_corrupt',
      message: expect.stringContaining('line 3'),
    })
    expect(results).toHaveLength(2)
  })

  it('reports a merge of two branches as a fork', async () => {
    const layout = workspace()
    await openLedger(layout).append(drafts(2))
    const base = readFileSync(`${layout.ledgerFile}`)
    const branch = async (): Promise<string> => {
      writeFileSync(`${layout.ledgerFile}`, base)
      rmSync(layout.ledgerDir, { recursive: true })
      await openLedger(layout).append(drafts(2))
      return readFileSync(`${layout.ledgerFile}`, 'utf8').slice(base.length)
    }
    const [ours, theirs] = [await branch(), await branch()]
    rmSync(layout.ledgerDir, { recursive: true })
    writeFileSync(`${layout.ledgerFile}`, base + ours + theirs)
    await expect(openLedger(layout).append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_fork' })
    expect(await openLedger(layout).problem()).toMatch(/Line 5/)
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: 5 } })
  })

  it('refuses an append if records between the file and ledger.d are lost', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    for (const draft of drafts(20)) await ledger.append([draft])
    writeFileSync(`${layout.ledgerFile}`, `${linesOf(layout).slice(0, 3).join('\n')}\n`)
    expect(await openLedger(layout).problem()).toMatch(/Record 20 was written, but the ledger ends at 3/)
    await expect(openLedger(layout).append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    expect(linesOf(layout)).toHaveLength(3)
    expect(existsSync(`${layout.ledgerFile}.torn-1`)).toBe(false)
  })
})
