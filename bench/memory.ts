import type { Bench, Suite } from './bench.js'
import { memoryAfterGc } from './heap.js'
import { contentOf, makeFiles, memoryPlace } from './places.js'
import { OURS } from './report.js'
import { declareIntent, govern } from './workspace.js'

const FILE_BYTES = 4_096
const PER_DIR = 100
/** Bytes that a closed session may leave behind, averaged over many. With few sessions, code optimization dominates. */
const LEFTOVER_AIM = { of: 'value', atMost: 512 } as const

/** Measures the memory of a session with many files, and of closed sessions. */
export const memory: Suite = async (bench) => {
  const root = memoryPlace().path
  makeFiles(`${root}/src`, PER_DIR, FILE_BYTES)
  declareIntent(root)
  await measureStagedMemory(bench, root)
  await measureLeftover(bench, root)
}

/** Measures staged files. Resident memory includes memory that V8 keeps for the whole process. */
async function measureStagedMemory(bench: Bench, root: string): Promise<void> {
  const files = bench.quick ? 5_000 : 50_000
  for (const durability of ['memory', 'process'] as const) {
    const { workspace, session } = await govern(root, `held-${durability}`, { durability })
    const before = memoryAfterGc()
    for (let n = 0; n < files; n += 1) {
      const dir = `made/d${Math.floor(n / PER_DIR)}`
      if (n % PER_DIR === 0) session.fs.mkdirSync(dir, { recursive: true })
      session.fs.writeFileSync(`${dir}/f${n}.ts`, contentOf(FILE_BYTES))
    }
    const after = memoryAfterGc()
    const title = `of ${files.toLocaleString('en')} staged files of 4 KB, durability ${durability}, each`
    const value = (kind: 'live' | 'resident') => [
      { name: OURS, value: Math.max(0, after[kind] - before[kind]) / files },
    ]
    bench.values(`heap and buffers ${title}`, 'bytes', value('live'), { of: 'value', atMost: 1.2 * FILE_BYTES + 2_048 })
    bench.values(`resident memory ${title}`, 'bytes', value('resident'))
    await session.close()
    await workspace.close()
  }
}

/** Opens, writes and closes sessions in sequence. Some run first, to fill code and caches. */
async function measureLeftover(bench: Bench, root: string): Promise<void> {
  const sessions = bench.isThorough ? 10_000 : bench.quick ? 100 : 1_000
  const { workspace } = await govern(root, 'first', { durability: 'memory' })
  let n = 0
  const openAndClose = async () => {
    n += 1
    const session = await workspace.session({ id: `left-${n}`, agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    session.fs.readFileSync('src/f0.ts')
    session.fs.writeFileSync('src/f1.ts', contentOf(FILE_BYTES))
    await session.close()
  }
  while (n < sessions / 4) await openAndClose()
  const before = memoryAfterGc()
  for (let more = 0; more < sessions; more += 1) await openAndClose()
  const after = memoryAfterGc()
  await workspace.close()
  const title = `left by a session that was closed, of ${sessions.toLocaleString('en')}`
  const remainingOf = (kind: 'live' | 'resident') => [
    { name: OURS, value: Math.max(0, after[kind] - before[kind]) / sessions },
  ]
  bench.values(`heap and buffers ${title}`, 'bytes', remainingOf('live'), bench.isThorough ? LEFTOVER_AIM : undefined)
  bench.values(`resident memory ${title}`, 'bytes', remainingOf('resident'))
}
