import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openLedger } from '../../src/trace/ledger.js'
import { draftOf, fileOf, linesOf, NO_LOCK, rechain, workspaces } from './support.js'

describe('verify', () => {
  const workspace = workspaces()
  afterEach(() => vi.unstubAllEnvs())
  let bytes: Buffer
  let lines: string[]

  // A valid ledger of 24 records. Each mutation is made on a copy of it.
  const COUNT = 24
  async function sound(): Promise<ReturnType<typeof workspace>> {
    const layout = workspace()
    const ledger = openLedger(layout)
    for (let n = 0; n < COUNT; n += 4) {
      await ledger.append(Array.from({ length: 4 }, (_, k) => draftOf({ words: `naïve ${n + k}` })))
    }
    bytes = readFileSync(`${layout.ledgerFile}`)
    lines = linesOf(layout)
    return layout
  }

  const at = fc.nat()
  const mutations = fc.oneof(
    fc.tuple(fc.constant('flip'), at, at),
    fc.tuple(fc.constant('drop'), at, at),
    fc.tuple(fc.constant('swap'), at, at),
    fc.tuple(fc.constant('duplicate'), at, at),
    fc.tuple(fc.constant('cut inside'), at, at),
    fc.tuple(fc.constant('cut the end'), at, at),
    fc.tuple(fc.constant('insert'), at, at),
    fc.tuple(fc.constant('rewrite and re-chain'), at, at),
    fc.tuple(fc.constant('drop and re-chain'), at, at),
  )

  function mutate([kind, a, b]: [string, number, number]): Buffer | string {
    const i = a % COUNT
    const j = (i + 1 + (b % (COUNT - 1))) % COUNT
    const line = lines[i] ?? ''
    if (kind === 'flip') {
      const changed = Buffer.from(bytes)
      const offset = a % bytes.length
      changed[offset] = (changed[offset] ?? 0) ^ (1 << (b % 8))
      return changed
    }
    if (kind === 'drop') return fileOf(lines.toSpliced(i, 1))
    if (kind === 'swap') return fileOf(lines.with(i, lines[j] ?? '').with(j, line))
    if (kind === 'duplicate') return fileOf(lines.toSpliced(j, 0, line))
    if (kind === 'cut inside') {
      const start = a % (bytes.length - 1)
      return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + 1 + (b % (bytes.length - start - 1)))])
    }
    if (kind === 'cut the end') return bytes.subarray(0, a % bytes.length)
    if (kind === 'insert') return fileOf(lines.toSpliced(i, 0, '{"version":"0.1.0","files":[]}'))
    const forged = { ...JSON.parse(line), intent_id: 'INT-666' }
    if (kind === 'rewrite and re-chain') return fileOf(rechain(lines.with(i, JSON.stringify(forged)), i))
    return fileOf(rechain(lines.toSpliced(i, 1), i))
  }

  it('detects every one of 1,500 random mutations', async () => {
    const layout = await sound()
    await fc.assert(
      fc.asyncProperty(mutations, async (mutation) => {
        const changed = mutate(mutation)
        fc.pre(!bytes.equals(Buffer.from(changed)))
        writeFileSync(`${layout.ledgerFile}`, changed)
        const result = await openLedger(layout, NO_LOCK).verify()
        expect(result.ok).toBe(false)
        expect(result.firstBad?.line).toBeGreaterThan(0)
        expect(result.firstBad?.reason).toMatch(/\.$/)
      }),
      { numRuns: 1500 },
    )
  })

  it('names the changed line, and not the one after it', async () => {
    const layout = await sound()
    for (let n = 0; n < COUNT; n++) {
      const changed = lines.with(n, (lines[n] ?? '').replace('naïve', 'naive'))
      writeFileSync(`${layout.ledgerFile}`, fileOf(changed))
      expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: n + 1 } })
    }
  })

  it.each<[string, (all: string[]) => string[], number, RegExp]>([
    ['drop', (all) => all.toSpliced(4, 1), 5, /missing/],
    ['drop of the first', (all) => all.slice(1), 1, /missing/],
    ['swap', (all) => all.with(4, all[5] ?? '').with(5, all[4] ?? ''), 5, /missing/],
    ['duplicate', (all) => all.toSpliced(5, 0, all[4] ?? ''), 6, /repeated/],
    ['cut of the end', (all) => all.slice(0, -2), COUNT - 1, /missing/],
    ['cut of more than ledger.d keeps', (all) => all.slice(0, 3), 4, /are missing/],
    [
      'a record of another ledger',
      (all) => all.with(4, (all[4] ?? '').replace(/"ledger":"./, '"ledger":"x')),
      5,
      /another/,
    ],
    ['re-chained to the end', (all) => rechain(all.toSpliced(2, 1), 2), 3, /another record of that number/],
  ])('names the line and the reason: %s', async (_, change, line, reason) => {
    const layout = await sound()
    writeFileSync(`${layout.ledgerFile}`, fileOf(change(lines)))
    const result = await openLedger(layout).verify()
    expect(result).toMatchObject({ ok: false, firstBad: { line, reason: expect.stringMatching(reason) } })
  })

  it('changes nothing', async () => {
    const layout = await sound()
    const ledger = openLedger(layout)
    writeFileSync(`${layout.ledgerFile}`, bytes.subarray(0, -3))
    await ledger.verify()
    expect(readFileSync(`${layout.ledgerFile}`).equals(bytes.subarray(0, -3))).toBe(true)
  })

  it('finds faults by the chain and the anchors without ledger.d', async () => {
    const layout = await sound()
    rmSync(layout.ledgerDir, { recursive: true })
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: COUNT, anchored: COUNT })
    writeFileSync(`${layout.ledgerFile}`, fileOf(lines.with(9, (lines[9] ?? '').replace('naïve', 'naive'))))
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: 10 } })
  })

  it('accepts a cut or rewritten ledger on another machine, and lists every record as unanchored', async () => {
    const layout = await sound()
    vi.stubEnv('XDG_STATE_HOME', workspace().root)
    const otherLayout = layoutAt(layout.root)
    for (const forged of [lines.slice(0, 3), rechain(lines.slice(1), 0)]) {
      writeFileSync(`${layout.ledgerFile}`, fileOf(forged))
      const unanchored = [{ from: 1, to: forged.length }]
      expect(await openLedger(otherLayout).verify()).toEqual({ ok: true, records: forged.length, unanchored })
    }
  })
})
