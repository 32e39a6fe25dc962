import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
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

/** A process that runs one of several suites: it leaves the table to the first process. */
const PART = '--part'
/** Leaves out the slow parts of a suite. */
const BRIEF = '--brief'

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

/**
 * Runs a suite in a process of its own. What an earlier suite left in memory would slow a later one, and starting a program takes
 * longer from a larger process.
 * @returns its exit code
 */
async function runInOwnProcess(name: string, flags: readonly string[]): Promise<number> {
  const args = [...process.execArgv, fileURLToPath(import.meta.url), name, ...flags]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const end = () => child.kill()
  process.once('exit', end)
  const [code] = await once(child, 'close')
  process.off('exit', end)
  return code ?? 1
}

async function runSuites(names: readonly string[], flags: ReadonlySet<string>): Promise<number> {
  const [quick, isHeldOut, isPart] = [flags.has('--quick'), flags.has('--held-out'), flags.has(PART)]
  const isThorough = !quick && !flags.has(BRIEF)
  const isAll = names.length === 0 || names.includes('all')
  const unknown = names.filter((name) => name !== 'all' && !Object.keys(SUITES).some((suite) => isOf(suite, name)))
  if (unknown.length > 0) {
    const known = [...Object.keys(SUITES), 'all', 'guard', 'compare', 'table'].join(', ')
    process.stderr.write(`No suite ${unknown.join(', ')}. There are: ${known}.\n`)
    return 2
  }
  const wanted = Object.entries(SUITES).filter(([name]) => isAll || names.some((each) => isOf(name, each)))
  const [only] = wanted
  if (wanted.length === 1 && only) await runSuite(...only, { quick, isHeldOut, isThorough })
  else
    for (const [name] of wanted) {
      const code = await runInOwnProcess(name, [...flags, PART, ...(isAll ? [BRIEF] : [])])
      if (code !== 0) return code
    }
  if (!quick && !isPart) print(`Written: ${updateSpeedPage()}`)
  return 0
}

/** Whether a suite is the named one, or a part of it, as `fleet-ledger` is one of `fleet`. */
function isOf(suite: string, name: string): boolean {
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
  if (command !== 'compare') return runSuites([command, ...rest], options)
  const [before, after] = rest
  if (before === undefined || after === undefined) {
    process.stderr.write('Name two commits: npm run bench -- compare A B\n')
    return 2
  }
  compareCommits([before, after], quick, print)
  return 0
}

process.env.XDG_STATE_HOME = benchState()
// With it, Node 20 reads all certificates at each start, in both sides of a ratio, which hides what the command adds.
delete process.env.NODE_EXTRA_CA_CERTS
process.once('exit', removePlaces)
for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => process.exit(status))
const args = process.argv.slice(2)
const positionals = args.filter((arg) => !arg.startsWith('--'))
process.exit(await main(positionals, new Set(args.filter((arg) => arg.startsWith('--')))))
