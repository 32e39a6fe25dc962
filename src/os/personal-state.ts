import { EscrowError } from '../core/api-error.js'
import { isInTree } from './search-path.js'
import { stateDir } from './state-dir.js'

/**
 * Returns the state directory, for keys and tokens, which belong to the person and to no workspace.
 * @throws EscrowError `access_denied` if it is in a workspace: a clone would bring it, and git would publish it
 */
export function personalState(): string {
  const dir = stateDir()
  if (!isInTree(dir)) return dir
  throw new EscrowError(
    'access_denied',
    `The state directory ${dir} is in a workspace, where agents could change it.`,
    {
      hint: 'Set XDG_STATE_HOME, or HOME, to a directory outside it.',
    },
  )
}
