import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import { contentOf, namesOf } from '../places.js'
import type { Aim } from '../report.js'
import { DIRS, SIZES } from './directories.js'
import { at, type Participants, pathsOf } from './participants.js'
import type { PromiseCalls, Subject } from './subjects.js'

const AIM: Aim = { of: 'value', atMost: 5e6 }
const LOOPS: Readonly<Record<string, (fs: PromiseCalls, path: string) => Promise<unknown>>> = {
  'promises.stat': (fs, path) => fs.stat(path),
  'promises.readFile 4 KB': (fs, path) => fs.readFile(path),
  'promises.writeFile 4 KB': (fs, path) => fs.writeFile(path, contentOf(SIZES.small.bytes)),
}

/** Measures the event loop delay (99th percentile) during loops of promises. */
export async function measureFairness(bench: Bench, { subjects }: Participants): Promise<void> {
  const names = namesOf(`made/${DIRS.small}`, SIZES.small.files)
  for (const [title, call] of Object.entries(LOOPS))
    for (const loopCount of [1, 64]) {
      const values = []
      for (const subject of subjects.slice(0, 2))
        values.push({
          name: subject.name,
          value: await delay(subject, names, call, loopCount, bench.quick ? 300 : 2_000),
        })
      const loops = loopCount === 1 ? 'one loop' : `${loopCount} loops`
      bench.values(`event loop delay, 99 %, in ${loops} of ${title}`, 'ns', values, AIM)
    }
}

async function delay(
  subject: Subject,
  names: readonly string[],
  call: (fs: PromiseCalls, path: string) => Promise<unknown>,
  loopCount: number,
  ms: number,
): Promise<number> {
  const paths = pathsOf(subject, names)
  const histogram = monitorEventLoopDelay({ resolution: 1 })
  let stopped = false
  const loop = async (from: number) => {
    const end = performance.now() + 10 * ms
    for (let iteration = from; !stopped && performance.now() < end; iteration++)
      await call(subject.promises, at(paths, iteration))
  }
  histogram.enable()
  const loops = Promise.all(Array.from({ length: loopCount }, (_, from) => loop(from)))
  await sleep(ms)
  stopped = true
  await loops
  histogram.disable()
  return histogram.percentile(99)
}
