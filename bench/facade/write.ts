import type { Bench } from '../bench.js'
import { contentOf, namesOf, parentOf } from '../places.js'
import type { Aim } from '../report.js'
import { SIZES, TOUCHED } from './directories.js'
import { at, type Participants, pathsOf, promiseParts, RECURSIVE, requireLower } from './participants.js'
import type { Subject } from './subjects.js'

/** New files stay, so a sample must not create too many. */
const NEW_BATCH = 50
const NEW_WARM_UP = 5_000
const ratio = (atMost: number): Aim => ({ of: 'ratio', atMost })

/** Measures staged writes with every check: scope, protected paths, content lock, digest, stage. `node:fs` writes to disk. */
export async function measureWrites(bench: Bench, memory: Participants, durable: Participants): Promise<void> {
  const aims = { memory: ratio(1.25), process: ratio(1.8) }
  for (const size of Object.values(SIZES)) {
    const aim = size === SIZES.small ? { aim: aims.memory } : {}
    const title = `writeFileSync ${size.title} over a staged file, durability memory`
    await bench.compare({ title, mode: 'sync', ...aim, ...rewrites(memory, size) })
  }
  const title = 'writeFileSync 4 KB'
  const few = { mode: 'sync' as const, maxBatch: NEW_BATCH, maxWarmUp: NEW_WARM_UP }
  await bench.compare({
    title: `${title}, a new file, durability memory`,
    aim: aims.memory,
    ...few,
    ...creations(memory, 'made/new'),
  })
  const first = firstTouches(memory)
  await bench.compare({
    title: `${title} over a lower file, first touch, durability memory`,
    aim: aims.memory,
    ...few,
    ...first,
  })
  const over = rewrites(durable, SIZES.small)
  await bench.compare({
    title: `${title} over a staged file, durability process`,
    mode: 'sync',
    aim: aims.process,
    ...over,
  })
  await bench.compare({
    title: `${title}, a new file, durability process`,
    aim: aims.process,
    ...few,
    ...creations(durable, 'made/new-durable'),
  })
  await bench.compare({ title: 'promises.writeFile 4 KB over a staged file', mode: 'async', ...promiseWrites(memory) })
}

type Size = (typeof SIZES)[keyof typeof SIZES]

/** The first write of each path, in the warm-up, copies it up. The others overwrite the staged file. */
function rewrites(cast: Participants, { bytes, dir, files }: Size) {
  const data = contentOf(bytes)
  const names = namesOf(`made/${dir}`, files)
  return syncWrites(cast, (subject) => {
    const paths = pathsOf(subject, names)
    return (iteration) => ({ path: at(paths, iteration), data })
  })
}

/** @param dir unique for this row, because `node:fs` keeps the files of earlier rows */
function creations(cast: Participants, dir: string) {
  const data = contentOf(SIZES.small.bytes)
  return syncWrites(cast, ({ root, sync }) => {
    sync?.mkdirSync(`${root}/${dir}`, RECURSIVE)
    return (iteration) => ({ path: `${root}/${dir}/f${iteration}.ts`, data })
  })
}

/** The first write of a file on disk, whose content becomes the base for the commit. */
function firstTouches(cast: Participants) {
  const data = contentOf(SIZES.small.bytes)
  const names = namesOf(TOUCHED.dir, TOUCHED.files, TOUCHED.perDir)
  const readers = { ...cast, subjects: cast.subjects.filter((subject) => requireLower(subject) === undefined) }
  return syncWrites(readers, (subject) => {
    const paths = pathsOf(subject, names)
    // unionfs writes into the lower directory where its upper layer has none.
    for (const dir of new Set(paths.map(parentOf))) subject.sync?.mkdirSync(dir, RECURSIVE)
    return (iteration) => {
      const path = paths[iteration]
      if (path === undefined) throw new Error(`it wrote all ${TOUCHED.files} files before the time was up`)
      return { path, data }
    }
  })
}

function syncWrites(
  cast: Participants,
  jobsOf: (subject: Subject) => (iteration: number) => { path: string; data: Buffer },
) {
  const withSync = cast.subjects.filter(({ sync }) => sync)
  const variants = withSync.map((subject) => {
    const { name, sync } = subject
    const job = jobsOf(subject)
    return {
      name,
      run(iteration: number) {
        const { path, data } = job(iteration)
        sync?.writeFileSync(path, data)
      },
    }
  })
  const withoutSync = cast.subjects.filter(({ sync }) => !sync)
  return {
    variants,
    absent: [...cast.absent, ...withoutSync.map(({ name }) => ({ name, reason: 'it has no sync calls' }))],
  }
}

function promiseWrites(cast: Participants) {
  const data = contentOf(SIZES.small.bytes)
  const names = namesOf(`made/${SIZES.small.dir}`, SIZES.small.files)
  return promiseParts(cast, names, (fs, path) => fs.writeFile(path, data))
}
