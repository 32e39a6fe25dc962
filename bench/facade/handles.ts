import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import { type Aim, OURS } from '../report.js'
import { govern } from '../workspace.js'
import { SIZES } from './directories.js'
import { at, RECURSIVE } from './participants.js'
import type { Directories } from './subjects.js'

const MANY = 10_000
const AIM: Aim = { of: 'ratio', atMost: 1.25 }

/** Measures the cost of other open files for an edit. It is nothing if an edit visits only the affected ones. */
export async function measureHandles(bench: Bench, { lower }: Directories): Promise<void> {
  const names = namesOf('made/handles', SIZES.small.files)
  const data = contentOf(SIZES.small.bytes)
  const few = await govern(lower, 'handles-few', { durability: 'memory' })
  const many = await govern(lower, 'handles-many', { durability: 'memory' })
  for (const { fs } of [few.session, many.session]) {
    fs.mkdirSync('made/handles', RECURSIVE)
    for (const name of names) fs.writeFileSync(name, data)
  }
  const open = Array.from({ length: MANY }, (_, n) => many.session.fs.openSync(at(names, n), 'r'))
  const variants = [
    {
      name: 'no other file open',
      run: (iteration: number) => few.session.fs.writeFileSync(at(names, iteration), data),
    },
    { name: OURS, run: (iteration: number) => many.session.fs.writeFileSync(at(names, iteration), data) },
  ]
  const title = `writeFileSync 4 KB with ${MANY.toLocaleString('en')} other files open`
  await bench.compare({ title, mode: 'sync', aim: AIM, variants })
  for (const fd of open) many.session.fs.closeSync(fd)
  for (const { workspace } of [few, many]) await workspace.close()
}
