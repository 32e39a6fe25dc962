import type { Bench } from '../bench.js'
import { memoryAfterGc } from '../heap.js'
import { contentOf } from '../places.js'
import type { Aim } from '../report.js'
import { writeFiles } from './participants.js'
import { type Directories, memfsSubject, ourSubject, type Subject } from './subjects.js'

const SIZES = [
  { title: '100 B', bytes: 100 },
  { title: '4 KB', bytes: 4_096 },
  { title: '10 KB', bytes: 10_240 },
]
const PER_DIR = 100
const OVERHEAD_BYTES = 2_048

/** Measures the memory of one staged file: heap and buffers after a garbage collection. */
export async function measureMemory(bench: Bench, directories: Directories): Promise<void> {
  const files = bench.quick ? 5_000 : 20_000
  for (const { title, bytes } of SIZES) {
    const aim: Aim = { of: 'value', atMost: 1.2 * bytes + OVERHEAD_BYTES }
    const values = [{ name: 'a Map of buffers', value: memoryOfMap(files, bytes) }]
    const ours = await ourSubject(directories, `memory-${bytes}`)
    for (const subject of [ours, memfsSubject()]) {
      values.push({ name: subject.name, value: await memoryOf(subject, files, bytes) })
      await subject.close()
    }
    bench.values(`memory of one staged file of ${title}`, 'bytes', values, aim)
  }
}

async function memoryOf(subject: Subject, files: number, bytes: number): Promise<number> {
  await writeFiles(subject, 'other/warm', PER_DIR, bytes)
  const before = memoryAfterGc().live
  await writeFiles(subject, 'other/held', files, bytes, PER_DIR)
  return (memoryAfterGc().live - before) / files
}

function memoryOfMap(files: number, bytes: number): number {
  const before = memoryAfterGc().live
  const map = new Map<string, Buffer>()
  for (let n = 0; n < files; n += 1) map.set(`other/held/d${Math.floor(n / PER_DIR)}/f${n}.ts`, contentOf(bytes))
  const held = (memoryAfterGc().live - before) / files
  map.clear()
  return held
}
