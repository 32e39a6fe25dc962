import { agent } from './agent/suite.js'
import { newBench, type Suite } from './bench.js'
import { chart } from './chart.js'
import { commit } from './commit.js'
import { exec } from './exec.js'
import { facade } from './facade/suite.js'
import { hooks } from './hooks.js'
import { open } from './open.js'
import { memoryPlace, removePlaces } from './places.js'
import { policy } from './policy.js'
import { headline, type Report, saveResult, summaryText, thisMachine } from './report.js'
import { review } from './review.js'
import { trace } from './trace.js'

/** npm run bench [-- suite …] [--quick] */

const SUITES: Readonly<Record<string, Suite>> = { facade, policy, commit, open, trace, exec, hooks, review, agent }

async function runSuite(name: string, suite: Suite, quick: boolean): Promise<void> {
  const print = (text: string) => process.stdout.write(`${text}\n`)
  const bench = newBench(quick, print)
  const date = new Date().toISOString()
  const medium = memoryPlace().medium
  const about = { suite: name, date, quick, medium, machine: thisMachine() }
  print(`== ${name}: ${headline({ ...about, rows: [] })}\n`)
  await suite(bench)
  const report: Report = { ...about, rows: bench.rows }
  print(summaryText(report.rows))
  const json = `${JSON.stringify(report, undefined, 2)}\n`
  // The chart is kept in the repository: a quick run is not good enough for it.
  const files = quick ? { [`${name}.quick.json`]: json } : { [`${name}.json`]: json, [`${name}.svg`]: chart(report) }
  for (const [file, content] of Object.entries(files)) print(`Written: ${saveResult(file, content)}`)
}

async function main(args: readonly string[]): Promise<number> {
  const quick = args.includes('--quick')
  const wanted = args.filter((arg) => arg !== '--quick')
  const unknown = wanted.filter((name) => !(name in SUITES))
  if (unknown.length > 0) {
    process.stderr.write(`No suite ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}.\n`)
    return 2
  }
  for (const [name, suite] of Object.entries(SUITES))
    if (wanted.length === 0 || wanted.includes(name)) await runSuite(name, suite, quick)
  return 0
}

// The ledgers' anchors go where the benches' files go: nothing of the user's is touched.
process.env.XDG_STATE_HOME = memoryPlace().path
process.once('exit', removePlaces)
process.once('SIGINT', () => process.exit(130))
process.exit(await main(process.argv.slice(2)))
