/**
 * Policy: whether an access, a command or a commit is allowed, and by which rule.
 *
 * In come an access, the active intent, `policy.yaml` as a person accepted it, and the answers of reviewers; out goes a
 * decision: allow, or a denial with its reason, its rule and the next step. The rules run in the fixed order of
 * `chain.ts`; doubt ends in a denial.
 * May not happen here: a change of the stage or the workspace. The one file this room edits is `policy.yaml`, when a
 * person has a rule remembered.
 */
export { bareRepositoryAt, repositoryDenial } from './bare-repository.js'
export { type BaseState, createPolicy, type Policy } from './chain.js'
export { type CommandDecision, judgeCommand } from './command-rules.js'
export { type CommitRequest, commitDenial, undoDenial } from './commit-gate.js'
export type { FormatRule } from './format-rules.js'
export { type FreePaths, freePathsOf } from './free-paths.js'
export { gitIgnored } from './git-ignored.js'
export { missingMutationClass, sessionClosed, staleFile } from './messages.js'
export { sharedPath } from './overlap.js'
export { openPolicyFile, type PolicyState, policyProblem } from './policy-file.js'
export type { Limits } from './policy-schema.js'
export { HOOKS_OWN, HOST_SETTINGS, mayBeProtected, protection } from './protected.js'
export { PASSES, type RefusedPath, type Remedy, remediesFor } from './remedy.js'
export { rememberRule } from './remember.js'
export { rememberCommand } from './remember-command.js'
export type { AskAnswers } from './rules.js'
export { secretName } from './secrets.js'
