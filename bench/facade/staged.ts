import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import type { Aim } from '../report.js'
import { DIRS, LISTED, SIZES } from './directories.js'
import { type Participants, promiseParts, RECURSIVE, requireLower, syncParts, writeFiles } from './participants.js'
import type { Subject } from './subjects.js'

const ratio = (atMost: number): Aim => ({ of: 'ratio', atMost })
const MADE = 'made/'

/** Measures reads of staged files. `node:fs` reads the same files from disk. */
export async function measureStaged(bench: Bench, cast: Participants): Promise<void> {
  for (const { dir, files, bytes } of Object.values(SIZES))
    for (const subject of cast.subjects) await writeFiles(subject, MADE + dir, files, bytes)
  for (const size of Object.values(SIZES)) {
    const parts = syncParts(cast, namesOf(MADE + size.dir, size.files), (fs, path) => fs.readFileSync(path))
    const aim = size === SIZES.small ? { aim: ratio(0.35) } : {}
    await bench.compare({ title: `readFileSync ${size.title}, staged`, mode: 'sync', ...aim, ...parts })
  }
  const names = namesOf(MADE + SIZES.small.dir, SIZES.small.files)
  const exists = syncParts(cast, names, (fs, path) => fs.existsSync(path))
  await bench.compare({ title: 'existsSync, staged', mode: 'sync', aim: ratio(0.3), ...exists })
  const stat = syncParts(cast, names, (fs, path) => fs.statSync(path))
  await bench.compare({ title: 'statSync, staged', mode: 'sync', aim: ratio(1.3), ...stat })
  const read = promiseParts(cast, names, (fs, path) => fs.readFile(path))
  await bench.compare({ title: 'promises.readFile 4 KB, staged', mode: 'async', ...read })
}

/** Measures listing a directory of 200 names, with none or half of them staged. */
export async function measureReaddir(bench: Bench, cast: Participants): Promise<void> {
  const list = (dir: string) => syncParts(cast, [dir], (fs, path) => fs.readdirSync(path), requireLower)
  const title = `readdirSync of ${LISTED} names`
  await bench.compare({ title: `${title}, untouched`, mode: 'sync', aim: ratio(1.05), ...list(DIRS.untouched) })
  for (const subject of cast.subjects) if (subject.overLower) stageHalf(subject)
  await bench.compare({ title: `${title}, half of them staged`, mode: 'sync', aim: ratio(1.2), ...list(DIRS.merged) })
}

function stageHalf({ sync, root }: Subject): void {
  sync?.mkdirSync(`${root}/${DIRS.merged}`, RECURSIVE)
  const names = namesOf(DIRS.merged, LISTED).slice(LISTED / 2)
  for (const name of names) sync?.writeFileSync(`${root}/${name}`, contentOf(SIZES.tiny.bytes))
}
