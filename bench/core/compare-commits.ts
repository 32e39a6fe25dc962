import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Bench } from '../bench.js'
import { memoryPlace } from '../places.js'
import { runTool } from '../tools.js'
import { type Build, coreRows } from './rows.js'

const HOUSE = fileURLToPath(new URL('../../', import.meta.url))
const PLACE = `${HOUSE}.cache/bench-commits/`

/**
 * Two commits, each built, taking turns in one process. Both run with the dependencies that are installed
 * here.
 * @throws Error where a commit is not known or does not build.
 */
export async function compareCommits(bench: Bench, commits: readonly [string, string]): Promise<void> {
  const builds: Build[] = []
  for (const commit of commits) builds.push(await buildOf(commit))
  const [before, after] = builds.map(({ name }) => name)
  if (before === after) throw new Error(`${commits.join(' and ')} are one commit.`)
  const { rows, close } = await coreRows(memoryPlace().path, builds)
  // The first commit is the baseline in the place of node:fs.
  for (const row of rows) await bench.compare({ ...row, variants: row.variants.slice(1) })
  await close()
}

async function buildOf(commit: string): Promise<Build> {
  const sha = runTool('git', ['-C', HOUSE, 'rev-parse', '--verify', '--short=12', `${commit}^{commit}`]).trim()
  const place = `${PLACE}${sha}`
  mkdirSync(PLACE, { recursive: true })
  if (!existsSync(`${place}/package.json`))
    runTool('git', ['-C', HOUSE, 'worktree', 'add', '--detach', '--force', place, sha])
  if (!existsSync(`${place}/node_modules`)) symlinkSync(`${HOUSE}node_modules`, `${place}/node_modules`, 'junction')
  if (!existsSync(`${place}/dist/src/index.js`)) runTool('npm', ['--prefix', place, 'run', 'build'])
  const built: unknown = await import(pathToFileURL(`${place}/dist/src/index.js`).href)
  if (!isLibrary(built)) throw new Error(`${sha} has no openWorkspace.`)
  return { name: sha === commit ? sha : `${sha} (${commit})`, openWorkspace: built.openWorkspace }
}

function isLibrary(value: unknown): value is Pick<Build, 'openWorkspace'> {
  return (
    typeof value === 'object' && value !== null && 'openWorkspace' in value && typeof value.openWorkspace === 'function'
  )
}
