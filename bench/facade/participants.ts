import type { Skipped, Variant } from '../harness.js'
import { contentOf, namesOf, parentOf } from '../places.js'
import type { PromiseCalls, Subject, SyncCalls } from './subjects.js'

/** The participants of a row, and their variants. */

export interface Participants {
  /** `node:fs` first, then escrowfs, then the peers. */
  readonly subjects: readonly Subject[]
  readonly absent: readonly Skipped[]
}

/** A row's variants, and the subjects that cannot take part with reasons. */
export interface Comparands {
  readonly variants: Variant[]
  readonly absent: Skipped[]
}

type CheckSubject = (subject: Subject) => string | undefined

/** Requires a lower layer, which reads of unstaged files need. Returns the reason if it is missing. */
export const requireLower: CheckSubject = ({ overLower }) => (overLower ? undefined : 'it has no lower layer')

/** @param run called with the subject's sync calls and the path of the turn */
export function syncParts(
  cast: Participants,
  names: readonly string[],
  run: (calls: SyncCalls, path: string) => unknown,
  check: CheckSubject = () => undefined,
): Comparands {
  return partsOf(cast, check, (subject) => {
    const { sync } = subject
    if (!sync) return undefined
    const paths = pathsOf(subject, names)
    return { name: subject.name, run: (iteration) => run(sync, at(paths, iteration)) }
  })
}

export function promiseParts(
  cast: Participants,
  names: readonly string[],
  run: (calls: PromiseCalls, path: string) => Promise<unknown>,
  check: CheckSubject = () => undefined,
): Comparands {
  return partsOf(cast, check, (subject) => {
    const { promises } = subject
    const paths = pathsOf(subject, names)
    return { name: subject.name, run: (iteration) => run(promises, at(paths, iteration)) }
  })
}

function partsOf(
  cast: Participants,
  check: CheckSubject,
  variantOf: (subject: Subject) => Variant | undefined,
): Comparands {
  const variants: Variant[] = []
  const absent = [...cast.absent]
  for (const subject of cast.subjects) {
    const reason = check(subject)
    const variant = reason === undefined ? variantOf(subject) : undefined
    if (variant) variants.push(variant)
    else absent.push({ name: subject.name, reason: reason ?? 'it has no sync calls' })
  }
  return { variants, absent }
}

export function pathsOf({ root }: Subject, names: readonly string[]): string[] {
  return names.map((name) => `${root}/${name}`)
}

/** The item of a turn, in a cycle. */
export function at(items: readonly string[], iteration: number): string {
  return items[iteration % items.length] ?? ''
}

/** Writes `count` files below a directory of a subject. escrowfs stages them; `node:fs` writes them to disk. */
export async function writeFiles(
  subject: Subject,
  dir: string,
  count: number,
  bytes: number,
  perDir = count,
): Promise<void> {
  const { promises, sync } = subject
  let lastDir = ''
  for (const path of namesOf(`${subject.root}/${dir}`, count, perDir)) {
    const parent = parentOf(path)
    if (parent !== lastDir) await (sync ? sync.mkdirSync(parent, RECURSIVE) : promises.mkdir(parent, RECURSIVE))
    lastDir = parent
    // A new buffer each time, because a peer may keep it.
    const data = contentOf(bytes)
    await (sync ? sync.writeFileSync(path, data) : promises.writeFile(path, data))
  }
}

export const RECURSIVE = { recursive: true } as const
