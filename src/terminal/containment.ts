import { defined } from '../core/defined.js'
import type { Attempt, ContainmentFailure, ContainmentInfo, Protection, TriedContainment } from '../core/protection.js'
import type { Place } from './command-place.js'
import { forgetAttempt, recallAttempt, rememberAttempt } from './remembered-attempts.js'
import { markShortage } from './shortage.js'

/**
 * A provider of containment: a mechanism of this machine that commands can run in. `CONTAINMENTS` lists them, the best first. The first
 * that keeps what policy requires, and has run a command here, is used.
 *
 * A provider promises in `keeps` only the protections that its suites show. It fails closed: if one of its restrictions cannot be applied, `open` or
 * `run` rejects and no command starts.
 */
export interface Containment extends ContainmentInfo {
  /** Runs a command in it, in an empty workspace of its own. Never rejects. */
  attempt(): Promise<Attempt>
  /** Why it cannot show this workspace, although it works on this machine. */
  unfit?(shown: Shown): ContainmentFailure | undefined
  /** Opens a place for the commands of one session. @throws Error if it cannot be set up. */
  open(shown: Shown): Promise<Place>
}

/** The files that a place shows to commands. */
export interface Shown {
  /** The workspace, a physical path. */
  readonly root: string
  /** The directory of its repository, if that is outside the workspace. */
  readonly gitDir?: string | undefined
}

/** Tries the providers in order, and stops at the first that has the required protections and works. Returns those that it considered, in order. */
export async function tryEach(
  all: readonly Containment[],
  required: readonly Protection[],
  attempt: (containment: Containment) => Promise<Attempt>,
): Promise<TriedContainment[]> {
  const tried: TriedContainment[] = []
  for (const containment of all) {
    const lacks = required.filter((each) => !containment.keeps.includes(each))
    const result = lacks.length > 0 ? undefined : await attempt(containment)
    const info = infoOf(containment)
    tried.push({ ...info, lacks, ...result })
    if (result?.works) break
  }
  return tried
}

function infoOf({ name, title, keeps, tree, cannot, caution }: Containment): ContainmentInfo {
  return { name, title, keeps, tree, cannot, ...defined({ caution }) }
}

/** Tries a provider, unless an attempt under the same conditions is on record. */
export async function tryOnce(containment: Containment): Promise<Attempt> {
  return recallAttempt(containment.name) ?? tryAgain(containment)
}

/** Tries a provider, and records the result. */
export async function tryAgain(containment: Containment): Promise<Attempt> {
  const attempt = markShortage(await containment.attempt())
  rememberAttempt(containment.name, attempt)
  return attempt
}

/** A place in the first suitable provider, or the protections that each of them lacks. */
export type Opened =
  | { readonly place: Place; readonly containment: ContainmentInfo }
  | {
      readonly place: undefined
      readonly failures: readonly ContainmentFailure[]
      /** Providers that were not tried, because they do not keep all that is required. */
      readonly lacking: readonly Pick<TriedContainment, 'name' | 'caution' | 'lacks'>[]
    }

/** Opens a place in the best provider that has the required protections and works. */
export async function openFirst(
  all: readonly Containment[],
  shown: Shown,
  required: readonly Protection[],
): Promise<Opened> {
  const failures: ContainmentFailure[] = []
  const lacking: Pick<TriedContainment, 'name' | 'caution' | 'lacks'>[] = []
  for (const containment of all) {
    const lacks = required.filter((each) => !containment.keeps.includes(each))
    if (lacks.length > 0) {
      lacking.push({ ...infoOf(containment), lacks })
      continue
    }
    const failure = containment.unfit?.(shown) ?? failureOf(await tryOnce(containment))
    if (failure !== undefined) failures.push(failure)
    else
      try {
        return { place: await containment.open(shown), containment: infoOf(containment) }
      } catch (error) {
        // The machine may have changed since the last attempt: the next command tries it again.
        forgetAttempt(containment.name)
        throw error
      }
  }
  return { place: undefined, failures, lacking }
}

function failureOf(attempt: Attempt): ContainmentFailure | undefined {
  return attempt.works ? undefined : attempt.failure
}
