import { realpathSync } from 'node:fs'
import { EscrowError } from '../../src/core/api-error.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../../src/trust/index.js'

/** Accepts the current policy, intents and templates of a workspace, as a person would. */
export function trust(root: string): void {
  const layout = layoutAt(realpathSync(root))
  try {
    acceptFiles(layout, compareFiles(layout).digest, { name: 'Tester' })
  } catch (error) {
    // Some tests need invalid files, which cannot be accepted.
    if (!(error instanceof EscrowError) || error.reason !== 'policy_invalid') throw error
  }
}

/** True for files that define what agents may do, which a person must accept. */
export function needsTrust(path: string): boolean {
  return /(^|\/)(\.orchestration\/(active_intents\.yaml|policy\.yaml|templates\/[^/]*)|\.intentignore)$/.test(path)
}
