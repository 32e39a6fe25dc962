import type { Bench } from '../bench.js'
import type { Aim } from '../report.js'
import { OURS } from '../report.js'
import type { Governed } from '../workspace.js'

const AIM: Aim = { of: 'value', atMost: 1e6 }

/** Measures a snapshot of a large stage, and the return to one. */
export async function measureSnapshots(bench: Bench, { session }: Governed, staged: number): Promise<void> {
  const over = `${staged.toLocaleString('en')} files staged`
  const take = { name: OURS, run: () => session.snapshot() }
  await bench.compare({ title: `snapshot, ${over}`, mode: 'async', aim: AIM, variants: [take], maxBatch: 10 })
  let id = ''
  const travel = {
    name: OURS,
    before: async () => {
      id = (await session.snapshot()).id
      session.fs.writeFileSync('made/after-snapshot.ts', 'x')
    },
    run: () => session.travel(id),
  }
  await bench.compare({ title: `travel, ${over}`, mode: 'async', aim: AIM, variants: [travel], heavy: true })
}
