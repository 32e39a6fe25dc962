import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import type { Aim } from '../report.js'
import { DIRS, SIZES } from './directories.js'
import { at, RECURSIVE, writeFiles } from './participants.js'
import { type Directories, ourSubject, type Subject, type SyncCalls } from './subjects.js'

/** Nearly constant: ten times the files cost at most a quarter more. */
const FLAT: Aim = { of: 'exponent', atMost: 0.1 }
const STAGED = 'other'
const PER_DIR = 100

interface SizedStage {
  readonly subject: Subject
  readonly size: number
}

/** Measures the cost of one operation by stage size. Each size is a separate session. */
export async function measureGrowth(bench: Bench, directories: Directories, raw: Subject): Promise<void> {
  const stages: SizedStage[] = []
  for (const size of bench.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000]) {
    const name = `${size.toLocaleString('en')} files staged`
    const subject = await ourSubject(directories, `growth-${size}`, 'memory', name)
    await writeFiles(subject, STAGED, size, SIZES.tiny.bytes, PER_DIR)
    stages.push({ subject, size })
  }
  // The files that all stages and node:fs have.
  const common = namesOf(STAGED, 1_000, PER_DIR)
  await writeFiles(raw, STAGED, 1_000, SIZES.tiny.bytes, PER_DIR)
  const lower = namesOf(DIRS.small, SIZES.small.files)
  const row = rowOf(bench, raw, stages)
  await row('statSync of a lower file', lower, (fs, path) => fs.statSync(path))
  await row('readFileSync 4 KB of a lower file', lower, (fs, path) => fs.readFileSync(path))
  await row('statSync of a staged file', common, (fs, path) => fs.statSync(path))
  await row('readFileSync 100 B of a staged file', common, (fs, path) => fs.readFileSync(path))
  const data = contentOf(SIZES.small.bytes)
  for (const { sync, root } of [raw, ...stages.map(({ subject }) => subject)])
    sync?.mkdirSync(`${root}/made/passing`, RECURSIVE)
  await row('writeFileSync 4 KB of a new file, then unlinkSync', ['made/passing/f.ts'], (fs, path) => {
    fs.writeFileSync(path, data)
    fs.unlinkSync(path)
  })
  for (const { subject } of stages) await subject.close()
}

function rowOf(bench: Bench, raw: Subject, stages: readonly SizedStage[]) {
  return async (what: string, names: readonly string[], run: (fs: SyncCalls, path: string) => unknown) => {
    const variants = [raw, ...stages.map(({ subject }) => subject)].flatMap(({ name, root, sync }) => {
      const paths = names.map((each) => `${root}/${each}`)
      return sync ? [{ name, run: (iteration: number) => run(sync, at(paths, iteration)) }] : []
    })
    const sizes = stages.map(({ subject, size }) => ({ name: subject.name, size }))
    await bench.growth({ title: `as the stage grows: ${what}`, mode: 'sync', aim: FLAT, variants, sizes })
  }
}
