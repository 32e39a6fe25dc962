import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Bench } from '../bench.js'
import { contentOf } from '../places.js'
import type { Aim } from '../report.js'
import { fill } from './cast.js'
import { type Ground, memfsSubject, ourSubject, type Subject } from './subjects.js'

const SIZES = [
  { title: '100 B', bytes: 100 },
  { title: '4 KB', bytes: 4_096 },
  { title: '10 KB', bytes: 10_240 },
]
const PER_DIR = 100
const OVERHEAD_BYTES = 2_048

/** What one staged file occupies: heap and buffers, after a collection. */
export async function measureMemory(bench: Bench, ground: Ground): Promise<void> {
  const files = bench.quick ? 5_000 : 20_000
  for (const { title, bytes } of SIZES) {
    const aim: Aim = { of: 'value', atMost: 1.2 * bytes + OVERHEAD_BYTES }
    const values = [{ name: 'a Map of buffers', value: heldByMap(files, bytes) }]
    const ours = await ourSubject(ground, `memory-${bytes}`)
    for (const subject of [ours, memfsSubject()]) {
      values.push({ name: subject.name, value: await heldBy(subject, files, bytes) })
      await subject.close()
    }
    bench.values(`memory of one staged file of ${title}`, 'bytes', values, aim)
  }
}

async function heldBy(subject: Subject, files: number, bytes: number): Promise<number> {
  await fill(subject, 'other/warm', PER_DIR, bytes)
  const before = occupied()
  await fill(subject, 'other/held', files, bytes, PER_DIR)
  return (occupied() - before) / files
}

function heldByMap(files: number, bytes: number): number {
  const before = occupied()
  const map = new Map<string, Buffer>()
  for (let n = 0; n < files; n += 1) map.set(`other/held/d${Math.floor(n / PER_DIR)}/f${n}.ts`, contentOf(bytes))
  const held = (occupied() - before) / files
  map.clear()
  return held
}

/** Bytes of heap and buffers that live. The collector is asked for by flag, as the bench is started without one. */
function occupied(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  // Twice: buffers are let go by finalizers of the first.
  for (let turn = 0; turn < 2; turn += 1) if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
