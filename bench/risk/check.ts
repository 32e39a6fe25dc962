import { spawnSync } from 'node:child_process'
import { checkContainment } from '../../src/index.js'
import type { Bench } from '../bench.js'
import type { Variant } from '../harness.js'
import { makeFiles, memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { declareIntent, govern } from '../workspace.js'

const SECONDS = 10
const FILES = 100
const AIM = { of: 'ratio', atMost: 1.2 } as const

/** Compares a check of an intent with its command alone, which takes about ten seconds. */
export async function measureCheck(bench: Bench): Promise<void> {
  const title = `a check that works for ${SECONDS} s, one staged file`
  const missing = (await checkContainment()).find(({ ok }) => !ok)
  if (missing) return bench.skip(title, `not contained here: ${missing.name}: ${missing.problem}`, AIM)
  const root = `${memoryPlace().path}/check`
  const script = loopOf(stepsOf(SECONDS))
  const line = `node -e '${script}'`
  makeFiles(`${root}/src`, FILES, 100)
  declareIntent(root, { check: line })
  const { workspace, session } = await govern(root, 'bench', { durability: 'process' })
  session.fs.writeFileSync('src/made.ts', 'export const made = true\n')
  await session.flush()
  const review = await workspace.review('bench')
  const plain: Variant = { name: 'the command alone', run: () => void runNode(['-e', script]) }
  const checked: Variant = {
    name: OURS,
    async run() {
      const { checks } = await review.check({ selection: 'all' })
      if (checks.length !== 1 || checks[0]?.state !== 'passed') throw new Error(`The check is ${checks[0]?.state}.`)
    },
  }
  await bench.compare({ title, mode: 'async', heavy: true, aim: AIM, variants: [plain, checked] })
  await workspace.close()
}

const TRIAL = 500_000_000

/**
 * The repetitions of the script's step on this machine in this many seconds of processor time, measured in another
 * process.
 */
function stepsOf(seconds: number): number {
  const trial = `const from = process.cpuUsage(); ${loopOf(TRIAL)}; console.log(process.cpuUsage(from).user)`
  const microseconds = Number(runNode(['-e', trial]))
  if (!(microseconds > 0)) throw new Error(`The trial took ${microseconds} µs.`)
  return Math.round((seconds * 1e6 * TRIAL) / microseconds)
}

const loopOf = (steps: number) => `for (let n = 0, sum = 0; n < ${steps}; n++) sum = Math.imul(sum ^ n, 31)`

function runNode(args: readonly string[]): string {
  const { status, stdout } = spawnSync('node', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  if (status !== 0) throw new Error(`node ended with ${status}`)
  return stdout
}
