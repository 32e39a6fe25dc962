import { type Changed, factsOf } from '../../src/risk/index.js'
import type { Bench, Suite } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import { OURS } from '../report.js'
import { type Asked, askOf, type Found, findHarm } from './measure.js'
import { buildSets } from './sets.js'

/**
 * Measures how far a person reads before a harmful change: by risk, and by path. A third of the sets is held out: it is measured only
 * with --held-out, and no rule was written after looking at it.
 */
export const risk: Suite = async (bench) => {
  await measureReading(bench, false)
  if (bench.isHeldOut) await measureReading(bench, true)
  await measureCost(bench)
}

const EARLY = 0.1

async function measureReading(bench: Bench, isHeldOut: boolean): Promise<void> {
  const name = isHeldOut ? 'held-out sets' : 'sets'
  const [found, asked]: [Found[], Asked[]] = [[], []]
  let number = 0
  for (const set of buildSets(isHeldOut)) {
    if (bench.quick && number++ % 5 > 0) continue
    if (set.harm) found.push(await findHarm(set, set.harm))
    else asked.push(await askOf(set))
  }
  const late = found.filter(({ ranked, all }) => ranked > all * EARLY)
  const [ranked, byPath] = [sum(found, (each) => each.ranked), sum(found, (each) => each.byPath)]
  const title = `${found.length} harmful ${name}`
  bench.values(`${title}: harms behind the first tenth of the ranked lines`, 'count', ours(late.length), {
    of: 'value',
    atMost: 0,
  })
  const aim = { of: 'value', atMost: 50 } as const
  bench.values(`${title}: lines up to the harm, of those in path order`, 'percent', ours((100 * ranked) / byPath), aim)
  for (const { id, kind, ranked, all, facts } of late)
    bench.skip(`late: ${kind} (${id})`, `line ${ranked} of ${all}; ${facts.join(', ') || 'no facts'}`)
  const share = (lines: (each: Asked) => number) => (100 * sum(asked, lines)) / sum(asked, (each) => each.lines)
  bench.values(`${asked.length} benign ${name}: lines in files with a fact`, 'percent', [
    { name: 'stop', value: share((each) => each.stop) },
    { name: 'stop or look', value: share((each) => each.look) },
  ])
}

const ours = (value: number) => [{ name: OURS, value }]

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}

/** Whole lines. */
const FILE = 59 * 68

/** Nanoseconds a file. */
const COST_AIM = { of: 'value', atMost: 10e6 } as const

/** Measures the facts of changed source files: of an edit that may hide something, so that both sides are parsed, and of one that may not. */
async function measureCost(bench: Bench): Promise<void> {
  const count = bench.quick ? 100 : 1_000
  const changes = (before: string, after: string): Changed[] =>
    namesOf('src', count, 20).map((path, n) => {
      const content = `${contentOf(FILE)}\n// ${n}\n`
      const side = (line: string) =>
        ({ type: 'file', mode: 0o644, content: Buffer.from(`${content}${line}\n`) }) as const
      return { path, kind: 'modify', before: side(before), after: side(after) }
    })
  const [plain, parsed] = [changes('const a = 1', 'const a = 2'), changes('if (a) throw b', 'if (a) throw c')]
  await bench.compare({
    title: `facts of ${count.toLocaleString('en')} changed files of 4 KB, per file`,
    mode: 'async',
    heavy: true,
    opsPerRun: count,
    aim: COST_AIM,
    variants: [
      { name: 'an edit without a hint: nothing is parsed', run: () => factsOf(plain) },
      { name: OURS, run: () => factsOf(parsed) },
    ],
  })
}
