import { realpathSync } from 'node:fs'
import { layoutAt } from '../../src/os/workspace-state.js'

/** The state directory of the workspace at a root. */
export function stateOf(root: string): string {
  return layoutAt(realpathSync(root)).state
}
