import { DEFAULT_REQUIRED, type Protection, type Repair, type TriedContainment } from '../core/protection.js'
import { layoutAt } from '../os/workspace-state.js'
import { openPolicyFile } from '../policy/index.js'
import {
  type EscapeReport,
  type FoundRepairs,
  probeEscapes,
  repairsOf,
  runRepair,
  tryContainments,
} from '../terminal/index.js'

/**
 * Tries the containments of this machine, the best first, until one keeps what the workspace's policy requires.
 * @param root undefined outside a workspace: then the default is required.
 * @param isAgain whether earlier attempts on record are repeated.
 */
export function triedContainments(root: string | undefined, isAgain: boolean): Promise<TriedContainment[]> {
  return tryContainments(requiredAt(root), isAgain)
}

/** Runs the corpus of escapes in the containment that commands of the workspace get; undefined if there is none. */
export function probedEscapes(root: string | undefined): Promise<EscapeReport | undefined> {
  return probeEscapes(requiredAt(root))
}

/**
 * Finds the repairs that would let this machine contain the workspace's commands, or contain them better. Changes
 * nothing.
 */
export async function findRepairs(root: string | undefined): Promise<FoundRepairs> {
  return repairsOf(await triedContainments(root, true))
}

/** Runs the commands of a repair at the person's terminal. Resolves with whether all of them succeeded. */
export function applyRepair(repair: Repair): Promise<boolean> {
  return runRepair(repair)
}

function requiredAt(root: string | undefined): readonly Protection[] {
  const state = root === undefined ? undefined : openPolicyFile(layoutAt(root))()
  return state?.ok ? state.rules.settings.require : DEFAULT_REQUIRED
}
