import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { fuzzParameters, fuzzSeed } from '../support/fuzz.js'
import { draftOf, fileOf, linesOf, NO_LOCK, rechain, workspaces } from './support.js'

/**
 * Each random change of a ledger is detected: by the chain, by the anchors of this machine, or by a head that was noted
 * elsewhere.
 */

const LINES = 40

/** A change of the bytes, by random numbers. It may leave them unchanged. */
type Tampering = (bytes: Buffer, lines: readonly string[], at: number, to: number) => Buffer

const line = (n: number) => n % LINES
const joinLines = (lines: readonly string[]) => Buffer.from(fileOf(lines))

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'a bit flipped': (bytes, _, at, to) => {
    const changed = Buffer.from(bytes)
    const place = at % bytes.length
    changed[place] = (changed[place] ?? 0) ^ (1 << (to & 7))
    return changed
  },
  'a line removed': (_, lines, at) => joinLines(lines.toSpliced(line(at), 1)),
  'a line repeated': (_, lines, at, to) => joinLines(lines.toSpliced(line(to), 0, lines[line(at)] ?? '')),
  'two lines swapped': (_, lines, at, to) => {
    return joinLines(lines.with(line(at), lines[line(to)] ?? '').with(line(to), lines[line(at)] ?? ''))
  },
  'a line edited': (_, lines, at, to) => joinLines(lines.with(line(at), forgeSession(lines[line(at)] ?? '', to))),
  'cut at a byte': (bytes, _, at) => bytes.subarray(0, at % bytes.length),
  'cut at a line': (_, lines, at) => joinLines(lines.slice(0, line(at))),
  'bytes inserted': (bytes, _, at, to) => {
    const place = at % bytes.length
    return Buffer.concat([bytes.subarray(0, place), Buffer.from([to & 255]), bytes.subarray(place)])
  },
  'rewritten from a line on, with new hashes': (_, lines, at, to) => {
    return joinLines(rechain(lines.with(line(at), forgeSession(lines[line(at)] ?? '', to)), line(at) + 1))
  },
}

/** Another session or another request: the record stays valid. */
function forgeSession(text: string, to: number): string {
  const record = JSON.parse(text)
  return JSON.stringify({ ...record, session_id: `forged-${to}` })
}

const name = fc.constantFrom(...Object.keys(TAMPERINGS))
const number = fc.nat({ max: 1_000_000 })
const workspace = workspaces()

async function ledgerOf(): Promise<{ layout: Layout; bytes: Buffer; head: string }> {
  const layout = workspace()
  const ledger = openLedger(layout, NO_LOCK)
  await ledger.append(Array.from({ length: LINES }, (_, n) => draftOf({ session: `s-${n}`, words: 'ünïcode' })))
  const head = await ledger.head()
  return { layout, bytes: readFileSync(`${layout.ledgerFile}`), head: `${head?.seq}:${head?.hash}` }
}

describe('a ledger that somebody changed', () => {
  it('is detected by the machine that wrote it', async () => {
    const { layout, bytes } = await ledgerOf()
    const lines = linesOf(layout)
    await fc.assert(
      fc.asyncProperty(name, number, number, async (which, index, to) => {
        const changed = TAMPERINGS[which]?.(bytes, lines, index, to) ?? bytes
        fc.pre(!changed.equals(bytes))
        writeFileSync(`${layout.ledgerFile}`, changed)
        expect(await isDetected(layout)).toBe(true)
      }),
      { ...fuzzParameters(300), seed: fuzzSeed() },
    )
  })

  it('is detected by a witness who noted its head, if the machine that wrote it is not trusted', async () => {
    const { layout, bytes, head } = await ledgerOf()
    const lines = linesOf(layout)
    await fc.assert(
      fc.asyncProperty(name, number, number, async (which, index, to) => {
        const changed = TAMPERINGS[which]?.(bytes, lines, index, to) ?? bytes
        fc.pre(!changed.equals(bytes))
        const otherWorkspace = workspace()
        writeFileSync(`${otherWorkspace.ledgerFile}`, changed)
        expect(await isDetected(otherWorkspace, [head])).toBe(true)
        rmSync(otherWorkspace.root, { recursive: true })
      }),
      { ...fuzzParameters(200), seed: fuzzSeed() },
    )
  })
})

/** Whether the check fails, or reports new lines of other tools. */
async function isDetected(layout: Layout, heads: readonly string[] = []): Promise<boolean> {
  const { ok, foreign = 0, unanchored = [], absent } = await openLedger(layout, NO_LOCK).verify({ heads })
  if (!ok) return true
  return heads.length === 0 && (foreign > 0 || unanchored.length > 0 || absent !== undefined)
}
