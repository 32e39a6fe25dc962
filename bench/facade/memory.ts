import type { Bench } from '../bench.js'
import { collected } from '../heap.js'
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
  const before = collected().live
  await fill(subject, 'other/held', files, bytes, PER_DIR)
  return (collected().live - before) / files
}

function heldByMap(files: number, bytes: number): number {
  const before = collected().live
  const map = new Map<string, Buffer>()
  for (let n = 0; n < files; n += 1) map.set(`other/held/d${Math.floor(n / PER_DIR)}/f${n}.ts`, contentOf(bytes))
  const held = (collected().live - before) / files
  map.clear()
  return held
}
