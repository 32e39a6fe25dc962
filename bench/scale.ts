import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Session } from '../src/index.js'
import type { Bench, Suite } from './bench.js'
import type { Variant } from './harness.js'
import { contentOf, makeFiles, memoryPlace, namesOf } from './places.js'
import { OURS } from './report.js'
import { declareIntent, type Governed, govern } from './workspace.js'

const BYTES = 4_096
const PER_DIR = 100
/** Calls of the baseline, and of all agents together in a run. */
const CALLS = 20
const SHARED_CALLS = 320
/** The exponent of a cost that does not depend on the size. Small costs vary more than this from run to run. */
const FLAT = { of: 'exponent', atMost: 0.15 } as const

/** Measures how costs grow with the files of a workspace, the agents in it, and the sessions before. */
export const scale: Suite = async (bench) => {
  const { path } = memoryPlace()
  await measureFiles(bench, `${path}/files`)
  await measureAgents(bench, `${path}/agents`)
  await measureLedger(bench, `${path}/ledger`)
}

async function measureFiles(bench: Bench, path: string): Promise<void> {
  const sizes = bench.quick ? [500, 2_000, 8_000] : [2_000, 20_000, 200_000]
  const sizesWithNames = sizes.map((size) => ({ name: `${OURS}, ${size.toLocaleString('en')} files`, size }))
  await bench.growth({
    title: 'open a workspace, select, first read and write, by its files',
    mode: 'async',
    heavy: true,
    aim: FLAT,
    sizes: sizesWithNames,
    variants: [
      floor(`${path}/floor`),
      ...sizesWithNames.map(({ name, size }) => opening(name, `${path}/${size}`, size)),
    ],
  })
}

function opening(name: string, root: string, files: number): Variant {
  makeFiles(`${root}/src`, files, 100, PER_DIR)
  declareIntent(root)
  let last: Governed | undefined
  return {
    name,
    before: () => last?.workspace.close(),
    async run(iteration) {
      last = await govern(root, 'open', { durability: 'memory' })
      last.session.fs.readFileSync(`${root}/src/d0/f0.ts`)
      last.session.fs.writeFileSync(`${root}/src/d0/f1.ts`, `turn ${iteration}`)
    },
  }
}

/** More agents flush more stages, so the cost may grow with them, but not faster. */
const BY_AGENTS = { of: 'exponent', atMost: 1 } as const

/** Agents that share a fixed number of calls, while a reviewer reads the changes of one of them. */
async function measureAgents(bench: Bench, path: string): Promise<void> {
  const sizes = [2, 8, 32]
  const sizesWithNames = sizes.map((size) => ({ name: `${OURS}, ${size} agents and a reviewer`, size }))
  await bench.growth({
    title: `${SHARED_CALLS} writes and reads beside a reviewer, by the agents that share them`,
    mode: 'async',
    heavy: true,
    aim: BY_AGENTS,
    sizes: sizesWithNames,
    variants: [
      floor(`${path}/floor`),
      ...(await Promise.all(sizesWithNames.map(({ name, size }) => crowd(name, `${path}/${size}`, size)))),
    ],
  })
}

async function crowd(name: string, root: string, agents: number): Promise<Variant> {
  mkdirSync(`${root}/src`, { recursive: true })
  declareIntent(root)
  const { workspace, session } = await govern(root, 'agent-0', { durability: 'process' })
  const sessions: Session[] = [session]
  for (let n = 1; n < agents; n++) {
    const more = await workspace.session({ id: `agent-${n}`, agent: { tool: 'bench' } })
    await more.selectIntent('INT-001')
    sessions.push(more)
  }
  const review = await workspace.review('agent-0')
  return {
    name,
    async run() {
      const work = sessions.map(async ({ fs }, agent) => {
        for (let call = 0; call < SHARED_CALLS / agents; call++) {
          await fs.promises.writeFile(`src/agent-${agent}-${call % CALLS}.ts`, contentOf(BYTES))
          await fs.promises.readFile(`src/agent-${agent}-${call % CALLS}.ts`)
        }
      })
      await Promise.all([...work, review.changes()])
      for (const each of sessions) await each.flush()
    },
  }
}

/** Sessions that follow each other in one process, each with an intent and a write. The ledger grows with each. */
async function measureLedger(bench: Bench, path: string): Promise<void> {
  const sizes = bench.quick ? [50, 200, 800] : [200, 1_000, 5_000]
  const sizesWithNames = sizes.map((size) => ({ name: `${OURS}, after ${size.toLocaleString('en')} sessions`, size }))
  const variants: Variant[] = [floor(`${path}/floor`)]
  for (const { name, size } of sizesWithNames) variants.push(await nextSession(name, `${path}/${size}`, size))
  await bench.growth({
    title: 'open a session, select, write and close, by the sessions before it',
    mode: 'async',
    heavy: true,
    aim: FLAT,
    sizes: sizesWithNames,
    variants,
  })
}

async function nextSession(name: string, root: string, before: number): Promise<Variant> {
  mkdirSync(`${root}/src`, { recursive: true })
  declareIntent(root)
  const { workspace } = await govern(root, 'first', { durability: 'memory' })
  let n = 0
  const run = async () => {
    n += 1
    const session = await workspace.session({ id: `s-${n}`, agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync('src/a.ts', contentOf(BYTES))
    await session.close()
  }
  while (n < before) await run()
  return { name, run }
}

/** The baseline: plain writes and reads. */
function floor(root: string): Variant {
  mkdirSync(root, { recursive: true })
  const paths = namesOf(root, CALLS)
  const data = contentOf(BYTES)
  return {
    name: 'node:fs, 20 writes and reads',
    run() {
      for (const path of paths) writeFileSync(path, data)
      for (const path of paths) readFileSync(path)
    },
  }
}
