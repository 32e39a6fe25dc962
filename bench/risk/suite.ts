import { type Changed, factsOf } from '../../src/risk/index.js'
import type { Bench, Suite } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import { OURS } from '../report.js'
import { measureCheck } from './check.js'
import { type Asked, askOf, type Found, findHarm } from './measure.js'
import { countByCause, isOverBudgetOnly, type Released, recommendedRules, releasedOf } from './release.js'
import { buildSets, type ChangeSetCase } from './sets.js'

/**
 * Measures how far a person reads before a harmful change, by risk and by path; what the recommended tiers release
 * without a person; and the overhead of a check. A third of the sets is held out: it is measured only with --held-out,
 * and no rule was written after it was measured.
 */
export const risk: Suite = async (bench) => {
  for (const isHeldOut of bench.isHeldOut ? [false, true] : [false]) {
    await measureReading(bench, isHeldOut)
    await measureRelease(bench, isHeldOut)
  }
  await measureCost(bench)
  await measureCheck(bench)
}

/** A quick run uses every fifth set. */
function* setsOf({ quick }: Bench, isHeldOut: boolean): Generator<ChangeSetCase> {
  let number = 0
  for (const set of buildSets(isHeldOut)) if (!quick || number++ % 5 === 0) yield set
}

const nameOf = (isHeldOut: boolean) => (isHeldOut ? 'held-out sets' : 'sets')

const EARLY = 0.1

async function measureReading(bench: Bench, isHeldOut: boolean): Promise<void> {
  const name = nameOf(isHeldOut)
  const [found, asked]: [Found[], Asked[]] = [[], []]
  for (const set of setsOf(bench, isHeldOut)) {
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

/** Shares of benign changes that need a person. */
const PERSON_AIM = { of: 'value', atMost: 40 } as const
const NO_HARM = { of: 'value', atMost: 0 } as const
/** The most frequent causes that are listed. */
const CAUSES = 8

async function measureRelease(bench: Bench, isHeldOut: boolean): Promise<void> {
  const name = nameOf(isHeldOut)
  const rules = recommendedRules()
  const [benign, harmed]: [Released[][], Released[]] = [[], []]
  const wrong: { readonly title: string; readonly tier: string }[] = []
  for (const set of setsOf(bench, isHeldOut)) {
    const released = await releasedOf(rules, set)
    if (set.harm === undefined) benign.push(released)
    else {
      const found = released.find(({ change }) => change.path === set.harm?.path)
      if (found === undefined) throw new Error(`${set.id} has lost its harm in ${set.harm.path}.`)
      harmed.push(found)
      const { tier } = found.decision
      if (tier !== undefined) wrong.push({ title: `released: ${set.harm.kind} (${set.id})`, tier })
    }
  }
  const title = `${harmed.length} harmful ${name}`
  bench.values(`${title}: harmful changes that a tier releases`, 'count', ours(wrong.length), NO_HARM)
  for (const each of wrong) bench.skip(each.title, `by the tier ${each.tier}`)
  const overBudget = harmed.filter(isOverBudgetOnly).length
  bench.values(`${title}: harmful changes that only the size of the set holds back`, 'count', ours(overBudget), NO_HARM)
  reportBenign(bench, benign, name)
}

function reportBenign(bench: Bench, sets: readonly (readonly Released[])[], name: string): void {
  const changes = sets.flat()
  const unreleased = changes.filter(({ decision }) => decision.tier === undefined)
  const whole = sets.filter((set) => set.every(({ decision }) => decision.tier !== undefined))
  const title = `${sets.length} benign ${name}`
  bench.values(
    `${title}: changes that need a person, of ${changes.length}`,
    'percent',
    ours((100 * unreleased.length) / changes.length),
    PERSON_AIM,
  )
  bench.values(`${title}: released whole`, 'percent', ours((100 * whole.length) / sets.length))
  const causes = countByCause(unreleased).slice(0, CAUSES)
  bench.values(`${title}: why changes need a person`, 'count', causes)
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
