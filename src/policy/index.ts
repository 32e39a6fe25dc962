export { selectable, selectableIds } from '../core/intents-state.js'
export { createPolicy, type Policy } from './chain.js'
export { type CommandDecision, judgeCommand } from './command-rules.js'
export { commitDenial, undoDenial } from './commit-gate.js'
export type { FormatRule } from './format-rules.js'
export { type FreePaths, freePathsOf } from './free-paths.js'
export { gitIgnored } from './git-ignored.js'
export { openPolicyFile, type PolicyState } from './policy-file.js'

export { protection } from './protected.js'
export type { AskAnswers } from './rules.js'

export { secretName } from './secrets.js'
