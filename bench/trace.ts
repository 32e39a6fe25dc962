import { appendFileSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { digest } from '../overlay/digest.js'
import type { Layout } from '../src/core/layout.js'
import { layoutAt } from '../src/os/workspace-state.js'
import {
  attributeFile,
  compareContents,
  linesOfChange,
  newDraft,
  openLedger,
  type RecordDraft,
} from '../src/trace/index.js'
import type { Bench, Suite } from './bench.js'
import { memoryPlace } from './places.js'
import { OURS } from './report.js'

const MB = 1_000_000
const BATCH = 1_000

/** Measures a large ledger: verifying it, blaming a file, and appending. */
export const trace: Suite = async (bench) => {
  const megabytes = bench.quick ? 10 : 100
  const layout = await ledgerOf(megabytes * MB)
  const exact = statSync(`${layout.ledgerFile}`).size / MB
  // The aim is 100 MB per second.
  const aim = { of: 'value', atMost: exact * 1e7 } as const
  const verify = { name: OURS, run: () => openLedger(layout).verify() }
  const size = `${megabytes} MB`
  await bench.compare({ title: `verify a ledger of ${size}`, mode: 'async', aim, heavy: true, variants: [verify] })
  writeFileSync(`${layout.root}/src.ts`, contentOf(0, 200))
  const blame = { name: OURS, run: () => openLedger(layout).blame('src.ts') }
  const second = { of: 'value', atMost: 1e9 } as const
  const title = `blame a file of 200 lines, with a ledger of ${size}`
  await bench.compare({ title, mode: 'async', aim: second, heavy: true, variants: [blame] })
  await measureEnd(bench, layout, size)
  await measureMemory(bench, layout)
  await measureAppend(bench)
}

/** Measures the reads of a new process before its first append. */
async function measureEnd(bench: Bench, layout: Layout, size: string): Promise<void> {
  const end = () => openLedger(layout).head()
  const whole = {
    name: 'read from the beginning',
    run: () => {
      rmSync(`${layout.state}/ledger-point.json`, { force: true })
      return end()
    },
  }
  const title = `find the end of a ledger of ${size}, in a new process`
  await bench.compare({ title, mode: 'async', heavy: true, variants: [whole, { name: OURS, run: end }] })
}

/** Measures the additional memory of verifying a ledger ten times as long. */
async function measureMemory(bench: Bench, layout: Layout): Promise<void> {
  if (!bench.isThorough)
    return bench.skip('memory of verifying a ledger ten times as long', 'it takes minutes: npm run bench -- trace')
  const before = await peakOf(layout)
  const long = await ledgerOf(statSync(`${layout.ledgerFile}`).size * 10)
  const grown = (await peakOf(long)) - before
  rmSync(long.root, { recursive: true })
  const aim = { of: 'value', atMost: 64 * 1024 * 1024 } as const
  bench.values(
    'memory of verifying 1 GB beyond that of 100 MB',
    'bytes',
    [{ name: OURS, value: Math.max(0, grown) }],
    aim,
  )
}

async function peakOf(layout: Layout): Promise<number> {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  await openLedger(layout).verify()
  clearInterval(timer)
  return peak
}

async function measureAppend(bench: Bench): Promise<void> {
  const layout = emptyLedger()
  const ledger = openLedger(layout)
  let n = 0
  const append = { name: OURS, run: () => ledger.append([call(n++)]) }
  writeFileSync(`${layout.root}/raw`, '')
  const line = `${'x'.repeat(600)}\n`
  const raw = {
    name: 'appendFileSync of as many bytes, unsynced',
    run: () => appendFileSync(`${layout.root}/raw`, line),
  }
  await bench.compare({ title: 'append one record', mode: 'async', heavy: true, variants: [raw, append] })
}

async function ledgerOf(bytes: number): Promise<Layout> {
  const layout = emptyLedger()
  const ledger = openLedger(layout)
  for (let n = 0; (statSync(`${layout.ledgerFile}`, { throwIfNoEntry: false })?.size ?? 0) < bytes; n++) {
    await ledger.append(
      Array.from({ length: BATCH }, (_, k) => (k % 50 === 0 ? commit(n * BATCH + k) : call(n * BATCH + k))),
    )
  }
  return layout
}

/** Makes a workspace without records. */
export function emptyLedger(): Layout {
  const layout = layoutAt(memoryPlace().path)
  mkdirSync(layout.dir)
  return layout
}

/** A record of a tool call. */
export function call(n: number): RecordDraft {
  const data = { tool_name: 'write_to_file', outcome: 'done' }
  return newDraft({
    type: 'tool_call',
    intent: 'INT-001',
    session: 'task',
    reqId: `call-${n}`,
    paths: [`src/f${n % 500}.ts`],
    data,
  })
}

/** A commit record of ten new lines in a separate file. */
export function commit(n: number): RecordDraft {
  const path = `src/f${n % 500}.ts`
  const content = Buffer.from(contentOf(n % 5_000, 10))
  const comparison = compareContents(null, content)
  const lines = comparison && linesOfChange(path, comparison, false)
  return newDraft({
    type: 'commit',
    intent: 'INT-001',
    session: 'task',
    agent: { model: 'some-model' },
    files: [attributeFile({ path, comparison })],
    changes: [{ path, before: null, after: digest(content) }],
    lines: lines ? [lines] : [],
    tx: `${n}`,
  })
}

export function contentOf(from: number, count: number): string {
  return Array.from(
    { length: count },
    (_, n) => `export const value${from + n} = compute(alphabet, ${from + n})\n`,
  ).join('')
}
