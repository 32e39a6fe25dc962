import { type BenchOptions, newBench, type Suite } from './bench.js'
import { chart } from './chart.js'
import { compareCommits } from './core/compare-commits.js'
import { core, guard, record } from './core/guard.js'
import { memoryPlace, removePlaces } from './places.js'
import { headline, type Report, reportText, saveResult, summaryText, thisMachine } from './report.js'
import { updateSpeedPage } from './speed.js'
import { SUITES } from './suites.js'
import { benchState } from './tools.js'

/** npm run bench [-- all | suite … | guard [--record] | compare A B | table] [--quick] [--held-out] */

const print = (text: string) => void process.stdout.write(`${text}\n`)

async function runSuite(name: string, suite: Suite, options: BenchOptions): Promise<void> {
  const { quick } = options
  const bench = newBench(options, print)
  const date = new Date().toISOString()
  const medium = memoryPlace().medium
  const about = { suite: name, date, quick, medium, machine: thisMachine() }
  print(`== ${name}: ${headline({ ...about, rows: [] })}\n`)
  await suite(bench)
  const report: Report = { ...about, rows: bench.rows }
  print(summaryText(report.rows))
  const json = `${JSON.stringify(report, undefined, 2)}\n`
  // Charts and texts are kept in the repository, so a quick run does not write them.
  const reportFiles = { [`${name}.json`]: json, [`${name}.md`]: reportText(report), [`${name}.svg`]: chart(report) }
  const files = quick ? { [`${name}.quick.json`]: json } : reportFiles
  for (const [file, content] of Object.entries(files)) print(`Written: ${saveResult(file, content)}`)
}

async function runSuites(
  names: readonly string[],
  { quick, isHeldOut }: Omit<BenchOptions, 'isThorough'>,
): Promise<number> {
  const isAll = names.length === 0 || names.includes('all')
  const unknown = names.filter((name) => name !== 'all' && !Object.keys(SUITES).some((suite) => isPart(suite, name)))
  if (unknown.length > 0) {
    const known = [...Object.keys(SUITES), 'all', 'guard', 'compare', 'table'].join(', ')
    process.stderr.write(`No suite ${unknown.join(', ')}. There are: ${known}.\n`)
    return 2
  }
  for (const [name, suite] of Object.entries(SUITES))
    if (isAll || names.some((each) => isPart(name, each)))
      await runSuite(name, suite, { quick, isHeldOut, isThorough: !quick && !isAll })
  if (!quick) print(`Written: ${updateSpeedPage()}`)
  return 0
}

/** Whether a suite is the named one, or a part of it, as `fleet-ledger` is one of `fleet`. */
function isPart(suite: string, name: string): boolean {
  return suite === name || suite.startsWith(`${name}-`)
}

async function main([command = 'all', ...rest]: readonly string[], options: ReadonlySet<string>): Promise<number> {
  const quick = options.has('--quick')
  if (command === 'guard') return options.has('--record') ? record(print) : guard(print)
  if (command === 'core') return core(rest[0] ?? '.', print)
  if (command === 'table') {
    print(`Written: ${updateSpeedPage()}`)
    return 0
  }
  if (command !== 'compare') return runSuites([command, ...rest], { quick, isHeldOut: options.has('--held-out') })
  const [before, after] = rest
  if (before === undefined || after === undefined) {
    process.stderr.write('Name two commits: npm run bench -- compare A B\n')
    return 2
  }
  compareCommits([before, after], quick, print)
  return 0
}

process.env.XDG_STATE_HOME = benchState()
process.once('exit', removePlaces)
for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => process.exit(status))
const args = process.argv.slice(2)
const positionals = args.filter((arg) => !arg.startsWith('--'))
process.exit(await main(positionals, new Set(args.filter((arg) => arg.startsWith('--')))))
