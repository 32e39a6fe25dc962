import { realpathSync } from 'node:fs'
import { EscrowError } from '../../src/core/api-error.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, lookAtFiles } from '../../src/trust/index.js'

/** A person accepts the policy, intents and templates of a workspace as they are now. */
export function trust(root: string): void {
  const layout = layoutAt(realpathSync(root))
  try {
    acceptFiles(layout, lookAtFiles(layout).digest, { name: 'Tester' })
  } catch (error) {
    // What cannot be read is what some tests are about: nobody accepts it.
    if (!(error instanceof EscrowError) || error.reason !== 'policy_invalid') throw error
  }
}

/** Whether a file says what agents may do, so that a person has to accept it. */
export function needsTrust(path: string): boolean {
  return /(^|\/)(\.orchestration\/(active_intents\.yaml|policy\.yaml|templates\/[^/]*)|\.intentignore)$/.test(path)
}
