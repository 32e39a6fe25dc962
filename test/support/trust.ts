import { realpathSync } from 'node:fs'
import { layoutAt } from '../../src/host/workspace-state.js'
import { acceptFiles, lookAtFiles } from '../../src/trust/index.js'

/** A person accepts the policy, intents and templates of a workspace as they are now. */
export function trust(root: string): void {
  const layout = layoutAt(realpathSync(root))
  acceptFiles(layout, lookAtFiles(layout).digest, { name: 'Tester' })
}

/** Whether a file says what agents may do, so that a person has to accept it. */
export function needsTrust(path: string): boolean {
  return /(^|\/)(\.orchestration\/(active_intents\.yaml|policy\.yaml|templates\/[^/]*)|\.intentignore)$/.test(path)
}
