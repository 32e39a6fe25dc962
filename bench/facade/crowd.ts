import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import { type Cast, type Parts, pathsOf, throughToLower } from './cast.js'
import { DIRS, SIZES } from './ground.js'
import type { PromiseCalls } from './subjects.js'

const CROWD = 1_000

/** A thousand promises at once; the cost of each. */
export async function measureCrowd(bench: Bench, all: Cast): Promise<void> {
  const cast = bench.quick ? withoutPeers(all) : all
  const data = contentOf(SIZES.small.bytes)
  const lower = { ...cast, subjects: cast.subjects.filter((subject) => throughToLower(subject) === undefined) }
  const reads = crowd(lower, namesOf(DIRS.small, SIZES.small.files), (fs, path) => fs.readFile(path))
  const spec = { mode: 'async' as const, opsPerRun: CROWD, maxBatch: 4 }
  await bench.compare({ title: `promises.readFile 4 KB of lower files, ${CROWD} at once`, ...spec, ...reads })
  const names = namesOf(`made/${DIRS.small}`, SIZES.small.files)
  const writes = crowd(cast, names, (fs, path) => fs.writeFile(path, data))
  await bench.compare({ title: `promises.writeFile 4 KB, ${CROWD} at once`, ...spec, ...writes })
}

/** The slowest need seconds for one sample of these. */
function withoutPeers({ subjects, absent }: Cast): Cast {
  const peers = subjects.slice(2).map(({ name }) => ({ name, reason: 'left out of a quick run' }))
  return { subjects: subjects.slice(0, 2), absent: [...absent, ...peers] }
}

function crowd(cast: Cast, names: readonly string[], run: (fs: PromiseCalls, path: string) => Promise<unknown>): Parts {
  const variants = cast.subjects.map((subject) => {
    const paths = pathsOf(subject, names)
    const all = Array.from({ length: CROWD }, (_, i) => paths[i % paths.length] ?? '')
    return { name: subject.name, run: () => Promise.all(all.map((path) => run(subject.promises, path))) }
  })
  return { variants, absent: [...cast.absent] }
}
