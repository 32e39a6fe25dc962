import type { ContainmentName, Protection, TriedContainment } from '../core/protection.js'
import type { Place } from './command-place.js'
import type { Opened, Shown } from './containment.js'
import type { Capability } from './probe.js'

/** The providers of containment, loaded when a command runs. */

/** Opens a place in the best provider that keeps what is required and works. */
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
 * Tries the providers in order until one keeps what is required and works.
 * @param isAgain whether earlier attempts on record are repeated.
 */
export async function tryContainments(required: readonly Protection[], isAgain: boolean): Promise<TriedContainment[]> {
  const [{ CONTAINMENTS }, { tryAgain, tryEach, tryOnce }] = await Promise.all([
    import('./containments.js'),
    import('./containment.js'),
  ])
  return tryEach(CONTAINMENTS, required, isAgain ? tryAgain : tryOnce)
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
