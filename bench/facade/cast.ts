import type { Skipped, Variant } from '../harness.js'
import { contentOf, namesOf, parentOf } from '../places.js'
import type { PromiseCalls, Subject, SyncCalls } from './subjects.js'

/** Who takes part in a row, and how each does its part. */

export interface Cast {
  /** `node:fs` first, then escrowfs, then the peers. */
  readonly subjects: readonly Subject[]
  readonly absent: readonly Skipped[]
}

/** A row's variants: one for each subject that can do it; the others with the reason why not. */
export interface Parts {
  readonly variants: Variant[]
  readonly absent: Skipped[]
}

type Able = (subject: Subject) => string | undefined

/** Reads of files nobody staged need a lower layer. */
export const throughToLower: Able = ({ overLower }) => (overLower ? undefined : 'it has no lower layer')

/** @param run is given the subject's sync calls and this turn's path. */
export function syncParts(
  cast: Cast,
  names: readonly string[],
  run: (calls: SyncCalls, path: string) => unknown,
  able: Able = () => undefined,
): Parts {
  return partsOf(cast, able, (subject) => {
    const { sync } = subject
    if (!sync) return undefined
    const paths = pathsOf(subject, names)
    return { name: subject.name, run: (turn) => run(sync, at(paths, turn)) }
  })
}

export function promiseParts(
  cast: Cast,
  names: readonly string[],
  run: (calls: PromiseCalls, path: string) => Promise<unknown>,
  able: Able = () => undefined,
): Parts {
  return partsOf(cast, able, (subject) => {
    const { promises } = subject
    const paths = pathsOf(subject, names)
    return { name: subject.name, run: (turn) => run(promises, at(paths, turn)) }
  })
}

function partsOf(cast: Cast, able: Able, variantOf: (subject: Subject) => Variant | undefined): Parts {
  const variants: Variant[] = []
  const absent = [...cast.absent]
  for (const subject of cast.subjects) {
    const reason = able(subject)
    const variant = reason === undefined ? variantOf(subject) : undefined
    if (variant) variants.push(variant)
    else absent.push({ name: subject.name, reason: reason ?? 'it has no sync calls' })
  }
  return { variants, absent }
}

export function pathsOf({ root }: Subject, names: readonly string[]): string[] {
  return names.map((name) => `${root}/${name}`)
}

/** The turn's item; after the last comes the first. */
export function at(items: readonly string[], turn: number): string {
  return items[turn % items.length] ?? ''
}

/** Writes `count` files below a directory of a subject: staged by those that stage, on disk by `node:fs`. */
export async function fill(subject: Subject, dir: string, count: number, bytes: number, perDir = count): Promise<void> {
  const { promises, sync } = subject
  let made = ''
  for (const path of namesOf(`${subject.root}/${dir}`, count, perDir)) {
    const parent = parentOf(path)
    if (parent !== made) await (sync ? sync.mkdirSync(parent, RECURSIVE) : promises.mkdir(parent, RECURSIVE))
    made = parent
    // A peer may keep the buffer it is given.
    const data = contentOf(bytes)
    await (sync ? sync.writeFileSync(path, data) : promises.writeFile(path, data))
  }
}

export const RECURSIVE = { recursive: true } as const
