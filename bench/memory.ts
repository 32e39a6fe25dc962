import type { Bench, Suite } from './bench.js'
import { collected } from './heap.js'
import { contentOf, makeFiles, memoryPlace } from './places.js'
import { OURS } from './report.js'
import { declareIntent, govern } from './workspace.js'

const FILE_BYTES = 4_096
const PER_DIR = 100
/** Bytes a session may leave behind on the average of many: code that is still being optimized weighs on few. */
const LEFT_AIM = { of: 'value', atMost: 512 } as const

/** What a session of many files occupies, and what sessions leave behind once they are closed. */
export const memory: Suite = async (bench) => {
  const root = memoryPlace().path
  makeFiles(`${root}/src`, PER_DIR, FILE_BYTES)
  declareIntent(root)
  await measureHeld(bench, root)
  await measureLeft(bench, root)
}

/** Resident memory is of the whole process: what the engine has taken for its work and not given back is in it. */
async function measureHeld(bench: Bench, root: string): Promise<void> {
  const files = bench.quick ? 5_000 : 50_000
  for (const durability of ['memory', 'process'] as const) {
    const { workspace, session } = await govern(root, `held-${durability}`, { durability })
    const before = collected()
    for (let n = 0; n < files; n += 1) {
      const dir = `made/d${Math.floor(n / PER_DIR)}`
      if (n % PER_DIR === 0) session.fs.mkdirSync(dir, { recursive: true })
      session.fs.writeFileSync(`${dir}/f${n}.ts`, contentOf(FILE_BYTES))
    }
    const after = collected()
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

/** Sessions opened, written to and closed, one after another. Before they are counted some run, as code and caches fill. */
async function measureLeft(bench: Bench, root: string): Promise<void> {
  const sessions = bench.patient ? 10_000 : bench.quick ? 100 : 1_000
  const { workspace } = await govern(root, 'first', { durability: 'memory' })
  let n = 0
  const oneMore = async () => {
    n += 1
    const session = await workspace.session({ id: `left-${n}`, agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    session.fs.readFileSync('src/f0.ts')
    session.fs.writeFileSync('src/f1.ts', contentOf(FILE_BYTES))
    await session.close()
  }
  while (n < sessions / 4) await oneMore()
  const before = collected()
  for (let more = 0; more < sessions; more += 1) await oneMore()
  const after = collected()
  await workspace.close()
  const title = `left by a session that was closed, of ${sessions.toLocaleString('en')}`
  const left = (kind: 'live' | 'resident') => [
    { name: OURS, value: Math.max(0, after[kind] - before[kind]) / sessions },
  ]
  bench.values(`heap and buffers ${title}`, 'bytes', left('live'), bench.patient ? LEFT_AIM : undefined)
  bench.values(`resident memory ${title}`, 'bytes', left('resident'))
}
