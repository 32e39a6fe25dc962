import { rowOf } from '../../src/fs/ops.js'
import { callShapes, takesDescriptor } from './call-shapes.js'
import { type Face, facesOf, makeCall } from './make-call.js'
import { type Mode, type Sealed, sealed } from './sealed.js'
import { watchDisk } from './watch-disk.js'

/** Calls by the thousand, and what of their outcome must not be. */
export interface Attempt {
  calls: number
  /** Names of the functions that answered something at least once. */
  readonly answered: Set<string>
  readonly breaches: Set<string>
}

export type Work = (house: Sealed, attempt: Attempt) => Promise<void>

/**
 * One workspace for a piece of work. The process stands in it meanwhile: a relative path that came to the host's own
 * functions would be resolved there, and nothing else on this machine could be hit.
 */
export async function attempt(mode: Mode, work: Work, furnished: Promise<Sealed> = sealed(mode)): Promise<Attempt> {
  const cwd = process.cwd()
  const house = await furnished
  process.chdir(house.root)
  const watch = watchDisk([house.root, `${house.root}/a`, `${house.root}/a/b`, house.sibling, house.canary])
  const made: Attempt = { calls: 0, answered: new Set(), breaches: new Set() }
  try {
    await work(house, made)
    for (const breach of house.breaches()) made.breaches.add(breach)
    // Directories that are gone tell of themselves.
    if (made.breaches.size === 0) for (const event of await watch.events()) made.breaches.add(`seen on disk: ${event}`)
    return made
  } finally {
    process.chdir(cwd)
    watch.close()
    await house.dispose()
  }
}

/** Every call of some of an op's functions. */
export function everyCall(stem: string, mode: Mode, chosen: (face: Face) => boolean = () => true): Work {
  return async (house, made) => {
    for (const face of facesOf(house.fs).filter((each) => each.stem === stem && chosen(each))) {
      for (const args of callShapes(stem, house)) {
        made.calls++
        if (!(await makeCall(house.fs, face, args))) continue
        made.answered.add(face.name)
        for (const breach of breachesOf(face, args, house, mode)) made.breaches.add(breach)
      }
    }
  }
}

/** What is wrong about an answer, whatever it says. */
function breachesOf({ name, stem }: Face, args: readonly unknown[], { opened }: Sealed, mode: Mode): string[] {
  const foreign = opened.hosts.some((fd) => fd === args[0]) || args[0] === opened.hostHandle
  const harmless = HARMLESS[stem] ?? HARMLESS[name]
  return [
    ...(takesDescriptor(stem) && foreign ? [`${name} answered for a descriptor of the host`] : []),
    ...(rowOf(stem).kind === 'refused' && !harmless ? [`${name} is refused, and answered`] : []),
    ...(mode === 'deny all' && !harmless ? [`${name} answered, and all is denied`] : []),
  ]
}

/** Why a function may answer though everything is denied. */
const HARMLESS: Readonly<Record<string, string>> = {
  Dir: 'a class of the host, which opens nothing',
  Dirent: 'a class of the host, which opens nothing',
  Stats: 'a class of the host, which opens nothing',
  _toUnixTimestamp: 'arithmetic',
  close: 'gives up what was granted',
  fstat: 'what was granted when the descriptor was opened',
  fsync: 'brings nothing about that was not granted',
  fdatasync: 'brings nothing about that was not granted',
  rm: 'with `force` what is absent is no failure, nor is what is hidden',
  'promises.watch': 'looks when it is asked for the first event',
  watchFile: 'tells of what is absent, as of what is hidden',
  unwatchFile: 'ends what was granted',
}
