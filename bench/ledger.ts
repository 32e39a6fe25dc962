import { appendFileSync, writeFileSync } from 'node:fs'
import type { Layout } from '../src/core/layout.js'
import { openLedger } from '../src/trace/index.js'
import type { Bench, Suite } from './bench.js'
import type { Variant } from './harness.js'
import { OURS } from './report.js'
import { call, commit, contentOf, emptyLedger } from './trace.js'

/** Appended at once, to fill a ledger. */
const BATCH = 2_000
/** One of this many records is a commit; the others are tool calls. */
const COMMIT_EACH = 50
const PAGE = 20

/** Measures how verifying, appending, blame and a page of the log grow with the records of a ledger. */
export const ledger: Suite = async (bench) => {
  const sizes = bench.quick ? [2_000, 8_000, 32_000] : [10_000, 100_000, 1_000_000]
  const ledgers: { name: string; size: number; layout: Layout }[] = []
  for (const size of sizes) {
    ledgers.push({ name: `${OURS}, ${size.toLocaleString('en')} records`, size, layout: await ledgerOf(size) })
  }
  await measure(bench, ledgers, 'verify a ledger, by its records', 1, async ({ layout }) => {
    const { ok, firstBad } = await openLedger(layout).verify()
    if (!ok) throw new Error(firstBad?.reason)
  })
  await measure(bench, ledgers, 'append a record, by the records before it', 0.15, async ({ layout, size }) => {
    await openLedger(layout).append([call(size)])
  })
  await measure(bench, ledgers, 'blame a file of 200 lines, by the records of the ledger', 1, async ({ layout }) => {
    await openLedger(layout).blame('src.ts')
  })
  await measure(
    bench,
    ledgers,
    `log: the last ${PAGE} records, by the records of the ledger`,
    0.15,
    async ({ layout }) => {
      const page: unknown[] = []
      for await (const record of openLedger(layout).records({ order: 'newest' })) {
        page.push(record)
        if (page.length === PAGE) break
      }
    },
  )
}

type Made = { readonly name: string; readonly size: number; readonly layout: Layout }

async function measure(
  bench: Bench,
  ledgers: readonly Made[],
  title: string,
  exponent: number,
  work: (made: Made) => Promise<void>,
) {
  const variants: Variant[] = ledgers.map((each) => ({ name: each.name, run: () => work(each) }))
  const floor = { path: `${ledgers[0]?.layout.root}/floor` }
  const raw: Variant = {
    name: 'appendFileSync of one line',
    run: () => appendFileSync(floor.path, `${'x'.repeat(600)}\n`),
  }
  await bench.growth({
    title,
    mode: 'async',
    heavy: true,
    aim: { of: 'exponent', atMost: exponent },
    sizes: ledgers.map(({ name, size }) => ({ name, size })),
    variants: [raw, ...variants],
  })
}

async function ledgerOf(records: number): Promise<Layout> {
  const layout = emptyLedger()
  writeFileSync(`${layout.root}/src.ts`, contentOf(0, 200))
  const store = openLedger(layout)
  for (let n = 0; n < records; n += BATCH) {
    await store.append(
      Array.from({ length: BATCH }, (_, k) => ((n + k) % COMMIT_EACH === 0 ? commit(n + k) : call(n + k))),
    )
  }
  return layout
}
