import type { Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { govern } from '../workspace.js'
import { fill } from './cast.js'
import { measureCrowd } from './crowd.js'
import { measureFairness } from './fairness.js'
import { layGround, SIZES } from './ground.js'
import { measureGrowth } from './growth.js'
import { measureHandles } from './handles.js'
import { measureLower } from './lower.js'
import { measureMemory } from './memory.js'
import { measureRename } from './rename.js'
import { measureSnapshots } from './snapshots.js'
import { measureReaddir, measureStaged } from './staged.js'
import { ourSubject, peerSubjects, rawSubject } from './subjects.js'
import { measureWrites } from './write.js'

/** What governing costs an agent's code, call by call, beside `node:fs` and what else could be used. */
export const facade: Suite = async (bench) => {
  const staged = bench.quick ? 1_000 : 10_000
  const ground = layGround(memoryPlace().path)
  const [raw, ours] = [rawSubject(ground), await ourSubject(ground, 'facade')]
  await measureMemory(bench, ground)
  const { peers, absent } = await peerSubjects(ground)
  const cast = { subjects: [raw, ours, ...peers], absent }
  for (const subject of [ours, ...peers.filter(({ overLower }) => overLower)])
    await fill(subject, 'other', staged, SIZES.tiny.bytes, 100)
  await measureLower(bench, cast, staged)
  await measureStaged(bench, cast)
  const durable = await ourSubject(ground, 'facade-durable', 'process')
  await fill(durable, `made/${SIZES.small.dir}`, SIZES.small.files, SIZES.small.bytes)
  await measureWrites(bench, cast, { subjects: [raw, durable], absent: [] })
  await measureReaddir(bench, cast)
  await measureCrowd(bench, cast)
  await measureFairness(bench, cast)
  await measureRename(bench, ground, ours)
  await measureHandles(bench, ground)
  const governed = await govern(ground.lower, 'facade-snapshots', { durability: 'memory' })
  governed.session.fs.mkdirSync('made', { recursive: true })
  for (let n = 0; n < staged; n += 1) governed.session.fs.writeFileSync(`made/snapshot-${n}.ts`, 'x')
  await measureSnapshots(bench, governed, staged)
  for (const subject of [...cast.subjects, durable]) await subject.close()
  await governed.workspace.close()
  await measureGrowth(bench, ground, raw)
}
