import { DEFAULT_REQUIRED, type TriedContainment } from '../core/protection.js'
import { layoutAt } from '../os/workspace-state.js'
import { openPolicyFile } from '../policy/index.js'
import { tryContainments } from '../terminal/index.js'

/**
 * Tries the containments of this machine, the best first, until one keeps what the workspace's policy requires.
 * @param root undefined outside a workspace: then the default is required.
 * @param isAgain whether earlier attempts on record are repeated.
 */
export function triedContainments(root: string | undefined, isAgain: boolean): Promise<TriedContainment[]> {
  const state = root === undefined ? undefined : openPolicyFile(layoutAt(root))()
  return tryContainments(state?.ok ? state.rules.settings.require : DEFAULT_REQUIRED, isAgain)
}
