import type { Bench } from '../bench.js'
import { makeFiles } from '../places.js'
import type { Aim } from '../report.js'
import type { Directories, Subject } from './subjects.js'

const FEW = 10
const AIM: Aim = { of: 'value', atMost: 1e6 }

/** Measures renaming a directory of the lower layer back and forth, one rename per operation. */
export async function measureRename(bench: Bench, directories: Directories, ours: Subject): Promise<void> {
  const many = bench.quick ? 5_000 : 50_000
  makeFiles(`${directories.lower}/big/many`, many, 0, 1_000)
  makeFiles(`${directories.lower}/big/few`, FEW, 0)
  const { sync, root } = ours
  if (!sync) return
  const swap = (dir: string) => (iteration: number) => {
    const [here, there] = [`${root}/big/${dir}`, `${root}/moved/${dir}`]
    return iteration % 2 === 0 ? sync.renameSync(here, there) : sync.renameSync(there, here)
  }
  sync.mkdirSync(`${root}/moved`, { recursive: true })
  const variants = [
    { name: `a directory of ${FEW} files`, run: swap('few') },
    { name: ours.name, run: swap('many') },
  ]
  const title = `renameSync of a lower directory of ${many.toLocaleString('en')} files`
  await bench.compare({ title, mode: 'sync', aim: AIM, variants, heavy: true })
}
