import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { times } from '../report.js'
import { quantile } from '../stats.js'
import { runTool } from '../tools.js'
import type { Ratios } from './decide.js'

const HOUSE = fileURLToPath(new URL('../../', import.meta.url))
const PLACE = `${HOUSE}.cache/bench-commits/`
/** Which of the two each process measures: neither is always before the other. */
const TURNS = [0, 1, 1, 0, 0, 1, 1, 0] as const

const ratiosShape = z.record(z.string(), z.number())

/**
 * Two commits, each built, measured by turns beside `node:fs` and memfs: in processes of their own, because of two builds in one the
 * first is better optimized. Both run with the dependencies that are installed here.
 * @throws Error where a commit is not known or does not build.
 */
export function compareCommits(
  commits: readonly [string, string],
  quick: boolean,
  print: (text: string) => void,
): void {
  const dirs = commits.map(buildOf)
  if (dirs[0] === dirs[1]) throw new Error(`${commits.join(' and ')} are one commit.`)
  const runs: [Ratios[], Ratios[]] = [[], []]
  for (const turn of quick ? TURNS.slice(0, 4) : TURNS) {
    const script = ['--import', './ts-node.mjs', 'bench/run.ts', 'core', dirs[turn] ?? '']
    const said = runTool(process.execPath, script, HOUSE)
    runs[turn].push(ratiosShape.parse(JSON.parse(said)))
  }
  for (const line of comparison(runs)) print(line)
}

/** A line a row: what each cost beside `node:fs`, and how much more or less the second does. */
export function comparison([before, after]: readonly [readonly Ratios[], readonly Ratios[]]): string[] {
  const titles = new Set([...before, ...after].flatMap((run) => Object.keys(run)))
  return [...titles].map((title) => {
    const [was, is] = [before, after].map((runs) => runs.flatMap((run) => run[title] ?? []))
    if (!was?.length || !is?.length) return `${title}: only one of the two has it`
    const [from, to] = [quantile(was, 0.5), quantile(is, 0.5)]
    const apart = Math.min(...is) > Math.max(...was) ? ', more' : Math.max(...is) < Math.min(...was) ? ', less' : ''
    return `${title}: ${times(from)} to ${times(to)} of its baseline, ${times(to / from)} of before${apart}`
  })
}

/** Built once for each commit. */
function buildOf(commit: string): string {
  const sha = runTool('git', ['-C', HOUSE, 'rev-parse', '--verify', '--short=12', `${commit}^{commit}`]).trim()
  const place = `${PLACE}${sha}`
  if (!existsSync(`${place}/package.json`)) {
    mkdirSync(place, { recursive: true })
    runTool('git', ['-C', HOUSE, 'archive', '--output', `${place}.tar`, sha])
    runTool('tar', ['-xf', `${place}.tar`, '-C', place])
  }
  if (!existsSync(`${place}/node_modules`)) symlinkSync(`${HOUSE}node_modules`, `${place}/node_modules`, 'junction')
  if (!existsSync(`${place}/dist/src/index.js`)) runTool('npm', ['--prefix', place, 'run', 'build'])
  return place
}
