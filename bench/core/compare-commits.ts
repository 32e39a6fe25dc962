import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { times } from '../report.js'
import { quantile } from '../stats.js'
import { runTool } from '../tools.js'
import type { Ratios } from './decide.js'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const PLACE = `${REPOSITORY}.cache/bench-commits/`
/** The commit that each process measures. Neither always comes first. */
const ORDER = [0, 1, 1, 0, 0, 1, 1, 0] as const

const ratiosShape = z.record(z.string(), z.number())

/**
 * Builds two commits and measures them alternately against `node:fs` and memfs. Each runs in separate processes, because V8 optimizes
 * the first of two builds in one process better. Both use the dependencies installed here.
 * @throws Error for a commit that is unknown or does not build
 */
export function compareCommits(
  commits: readonly [string, string],
  quick: boolean,
  print: (text: string) => void,
): void {
  const dirs = commits.map(buildCommit)
  if (dirs[0] === dirs[1]) throw new Error(`${commits.join(' and ')} are one commit.`)
  const runs: [Ratios[], Ratios[]] = [[], []]
  for (const order of quick ? ORDER.slice(0, 4) : ORDER) {
    const script = ['--import', './ts-node.mjs', 'bench/run.ts', 'core', dirs[order] ?? '']
    const output = runTool(process.execPath, script, REPOSITORY)
    runs[order].push(ratiosShape.parse(JSON.parse(output)))
  }
  for (const line of comparison(runs)) print(line)
}

/** A line per row: the ratios of both commits to the baseline, and the ratio between them. */
export function comparison([before, after]: readonly [readonly Ratios[], readonly Ratios[]]): string[] {
  const titles = new Set([...before, ...after].flatMap((run) => Object.keys(run)))
  return [...titles].map((title) => {
    const [oldRatios, newRatios] = [before, after].map((runs) => runs.flatMap((run) => run[title] ?? []))
    if (!oldRatios?.length || !newRatios?.length) return `${title}: only one of the two has it`
    const [from, to] = [quantile(oldRatios, 0.5), quantile(newRatios, 0.5)]
    const trend =
      Math.min(...newRatios) > Math.max(...oldRatios)
        ? ', more'
        : Math.max(...newRatios) < Math.min(...oldRatios)
          ? ', less'
          : ''
    return `${title}: ${times(from)} to ${times(to)} of its baseline, ${times(to / from)} of before${trend}`
  })
}

/** Builds a commit, unless it has been built before. Returns its directory. */
function buildCommit(commit: string): string {
  const sha = runTool('git', ['-C', REPOSITORY, 'rev-parse', '--verify', '--short=12', `${commit}^{commit}`]).trim()
  const place = `${PLACE}${sha}`
  if (!existsSync(`${place}/package.json`)) {
    mkdirSync(place, { recursive: true })
    runTool('git', ['-C', REPOSITORY, 'archive', '--output', `${place}.tar`, sha])
    runTool('tar', ['-xf', `${place}.tar`, '-C', place])
  }
  if (!existsSync(`${place}/node_modules`))
    symlinkSync(`${REPOSITORY}node_modules`, `${place}/node_modules`, 'junction')
  if (!existsSync(`${place}/dist/src/index.js`)) runTool('npm', ['--prefix', place, 'run', 'build'])
  return place
}
