import type { Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { govern } from '../workspace.js'
import { measureConcurrency } from './concurrency.js'
import { createDirectories, SIZES } from './directories.js'
import { measureFairness } from './fairness.js'
import { measureGrowth } from './growth.js'
import { measureHandles } from './handles.js'
import { measureLower } from './lower.js'
import { measureMemory } from './memory.js'
import { writeFiles } from './participants.js'
import { measureRename } from './rename.js'
import { measureSnapshots } from './snapshots.js'
import { measureReaddir, measureStaged } from './staged.js'
import { ourSubject, peerSubjects, rawSubject } from './subjects.js'
import { measureWrites } from './write.js'

/** Measures each call of `session.fs`, compared with `node:fs` and other file systems. */
export const facade: Suite = async (bench) => {
  const staged = bench.quick ? 1_000 : 10_000
  const directories = createDirectories(memoryPlace().path)
  const [raw, ours] = [rawSubject(directories), await ourSubject(directories, 'facade')]
  await measureMemory(bench, directories)
  const { peers, absent } = await peerSubjects(directories)
  const cast = { subjects: [raw, ours, ...peers], absent }
  for (const subject of [ours, ...peers.filter(({ overLower }) => overLower)])
    await writeFiles(subject, 'other', staged, SIZES.tiny.bytes, 100)
  await measureLower(bench, cast, staged)
  await measureStaged(bench, cast)
  const durable = await ourSubject(directories, 'facade-durable', 'process')
  await writeFiles(durable, `made/${SIZES.small.dir}`, SIZES.small.files, SIZES.small.bytes)
  await measureWrites(bench, cast, { subjects: [raw, durable], absent: [] })
  await measureReaddir(bench, cast)
  await measureConcurrency(bench, cast)
  await measureFairness(bench, cast)
  await measureRename(bench, directories, ours)
  await measureHandles(bench, directories)
  const governed = await govern(directories.lower, 'facade-snapshots', { durability: 'memory' })
  governed.session.fs.mkdirSync('made', { recursive: true })
  for (let n = 0; n < staged; n += 1) governed.session.fs.writeFileSync(`made/snapshot-${n}.ts`, 'x')
  await measureSnapshots(bench, governed, staged)
  for (const subject of [...cast.subjects, durable]) await subject.close()
  await governed.workspace.close()
  await measureGrowth(bench, directories, raw)
}
