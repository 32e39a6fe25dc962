import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import { DIRS, SIZES } from './directories.js'
import { type Comparands, type Participants, pathsOf, requireLower } from './participants.js'
import type { PromiseCalls } from './subjects.js'

const CONCURRENT = 1_000

/** Measures the cost of each of a thousand concurrent promises. */
export async function measureConcurrency(bench: Bench, all: Participants): Promise<void> {
  const cast = bench.quick ? withoutPeers(all) : all
  const data = contentOf(SIZES.small.bytes)
  const lower = { ...cast, subjects: cast.subjects.filter((subject) => requireLower(subject) === undefined) }
  const reads = concurrentVariant(lower, namesOf(DIRS.small, SIZES.small.files), (fs, path) => fs.readFile(path))
  const spec = { mode: 'async' as const, opsPerRun: CONCURRENT, maxBatch: 4 }
  await bench.compare({ title: `promises.readFile 4 KB of lower files, ${CONCURRENT} at once`, ...spec, ...reads })
  const names = namesOf(`made/${DIRS.small}`, SIZES.small.files)
  const writes = concurrentVariant(cast, names, (fs, path) => fs.writeFile(path, data))
  await bench.compare({ title: `promises.writeFile 4 KB, ${CONCURRENT} at once`, ...spec, ...writes })
}

/** Leaves out the peers, because the slowest need seconds for one sample. */
function withoutPeers({ subjects, absent }: Participants): Participants {
  const peers = subjects.slice(2).map(({ name }) => ({ name, reason: 'left out of a quick run' }))
  return { subjects: subjects.slice(0, 2), absent: [...absent, ...peers] }
}

function concurrentVariant(
  cast: Participants,
  names: readonly string[],
  run: (fs: PromiseCalls, path: string) => Promise<unknown>,
): Comparands {
  const variants = cast.subjects.map((subject) => {
    const paths = pathsOf(subject, names)
    const all = Array.from({ length: CONCURRENT }, (_, i) => paths[i % paths.length] ?? '')
    return { name: subject.name, run: () => Promise.all(all.map((path) => run(subject.promises, path))) }
  })
  return { variants, absent: [...cast.absent] }
}
