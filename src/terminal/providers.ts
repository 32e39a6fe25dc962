import { defined } from '../core/defined.js'
import type { ContainmentName, Protection, Repair, Repairs, TriedContainment } from '../core/protection.js'
import type { Place } from './command-place.js'
import type { Opened, Shown } from './containment.js'
import type { Capability } from './probe.js'
import type { EscapeResult } from './run-escapes.js'

/** The providers of containment, loaded when a command runs. */

/** Opens a place in the best provider that has the required protections and works. */
export async function openContained(shown: Shown, required: readonly Protection[]): Promise<Opened> {
  const [{ CONTAINMENTS }, { openFirst }] = await Promise.all([import('./containments.js'), import('./containment.js')])
  return openFirst(CONTAINMENTS, shown, required)
}

/** Opens a copy of the workspace, which contains nothing. */
export async function openUncontained(root: string): Promise<Place> {
  const { openCopy } = await import('./copy-place.js')
  return openCopy(root)
}

/**
 * Tries the providers in order until one has the required protections and works.
 * @param isAgain whether earlier attempts on record are repeated.
 */
export async function tryContainments(required: readonly Protection[], isAgain: boolean): Promise<TriedContainment[]> {
  const [{ CONTAINMENTS }, { tryAgain, tryEach, tryOnce }] = await Promise.all([
    import('./containments.js'),
    import('./containment.js'),
  ])
  return tryEach(CONTAINMENTS, required, isAgain ? tryAgain : tryOnce)
}

/**
 * Runs the corpus of escapes in the first provider that has the required protections and works.
 * @returns undefined if there is none.
 */
export async function probeEscapes(required: readonly Protection[]): Promise<EscapeReport | undefined> {
  const chosen = (await tryContainments(required, true)).find(({ works }) => works)
  const [{ CONTAINMENTS }, { runEscapes, untried }] = await Promise.all([
    import('./containments.js'),
    import('./run-escapes.js'),
  ])
  const containment = CONTAINMENTS.find(({ name }) => name === chosen?.name)
  if (containment === undefined) return undefined
  const attempts = await runEscapes(containment)
  const held = attempts.every(({ isPromised, outcome }) => !isPromised || outcome !== 'did not hold')
  return { containment: containment.name, held, attempts, untried: untried(containment, attempts) }
}

/** The results of the escape attempts in a provider. */
export interface EscapeReport {
  readonly containment: ContainmentName
  /** Whether no attempt broke a promised protection. */
  readonly held: boolean
  readonly attempts: readonly EscapeResult[]
  /** Promises on which no attempt was made. */
  readonly untried: readonly Protection[]
}

/** Forgets that a provider worked: the next command tries it again. */
export async function forgetContainment(name: ContainmentName): Promise<void> {
  const { forgetAttempt } = await import('./remembered-attempts.js')
  forgetAttempt(name)
}

/** Checks the prerequisites of containment by an overlay mount. The list ends with the first that fails. */
export async function probeNow(): Promise<Capability[]> {
  const probe = await import('./probe.js')
  return probe.probeNow()
}

export interface FoundRepairs extends Repairs {
  readonly repairs: readonly (Repair & {
    /** The commands as this user has to start them; undefined if there is no way to, short of another user. */
    readonly run?: readonly (readonly string[])[]
  })[]
}

/** Finds the repairs that would let this machine contain commands, given the tried providers. */
export async function repairsOf(tried: readonly TriedContainment[]): Promise<FoundRepairs> {
  const [{ planRepairs }, { elevated }, { thisMachine }] = await loadRepair()
  const machine = thisMachine()
  const { repairs, notes } = planRepairs(tried, machine)
  return { notes, repairs: repairs.map((repair) => ({ ...repair, ...defined({ run: elevated(repair, machine) }) })) }
}

/** Runs the commands of a repair. Resolves with whether all of them succeeded. */
export async function runRepair(repair: Repair): Promise<boolean> {
  const [, { applyRepair }, { thisMachine }] = await loadRepair()
  return applyRepair(repair, thisMachine())
}

function loadRepair() {
  return Promise.all([import('./repair/plan.js'), import('./repair/apply.js'), import('./repair/machine.js')])
}
