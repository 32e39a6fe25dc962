import type { Bench } from '../bench.js'
import { namesOf } from '../places.js'
import type { Aim } from '../report.js'
import { DIRS, SIZES } from './directories.js'
import { type Participants, promiseParts, requireLower, syncParts } from './participants.js'

const NAMES = namesOf(DIRS.small, SIZES.small.files)
const ratio = (atMost: number): Aim => ({ of: 'ratio', atMost })

/** Measures reads of unstaged files while other files are staged. */
export async function measureLower(bench: Bench, cast: Participants, staged: number): Promise<void> {
  const beside = `lower, ${staged.toLocaleString('en')} files staged elsewhere`
  for (const size of Object.values(SIZES)) {
    const names = namesOf(size.dir, size.files)
    const parts = syncParts(cast, names, (fs, path) => fs.readFileSync(path), requireLower)
    const aim = size === SIZES.small ? { aim: ratio(1.05) } : {}
    await bench.compare({ title: `readFileSync ${size.title}, ${beside}`, mode: 'sync', ...aim, ...parts })
  }
  const stat = syncParts(cast, NAMES, (fs, path) => fs.statSync(path), requireLower)
  await bench.compare({ title: `statSync, ${beside}`, mode: 'sync', aim: ratio(1.1), ...stat })
  const exists = syncParts(cast, NAMES, (fs, path) => fs.existsSync(path), requireLower)
  await bench.compare({ title: `existsSync, ${beside}`, mode: 'sync', aim: ratio(1.2), ...exists })
  const read = promiseParts(cast, NAMES, (fs, path) => fs.readFile(path), requireLower)
  await bench.compare({ title: 'promises.readFile 4 KB, lower', mode: 'async', aim: ratio(0.25), ...read })
  const stats = promiseParts(cast, NAMES, (fs, path) => fs.stat(path), requireLower)
  await bench.compare({ title: 'promises.stat, lower', mode: 'async', aim: ratio(0.25), ...stats })
}
