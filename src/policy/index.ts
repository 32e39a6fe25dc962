/**
 * Policy: decides whether an access, a command or a commit is allowed, and by which rule.
 *
 * In: an access, the active intent, `policy.yaml` as a person accepted it, the state of the content lock, and people's answers. Out: a
 * decision, which is to allow, or a denial with its reason, its rule and the next step. The rules run in the fixed order of `rules.ts`;
 * a rule that fails denies.
 * Must not happen here: any write; reading a file other than `policy.yaml` and the accepted copy of it; caching what is on disk.
 * Caches hold decisions and rules only, keyed by the identity of their inputs or the digest of the text.
 */
export { bareRepositoryAt, repositoryDenial } from './bare-repository.js'
export { scopeOf } from './caches.js'
export { type BaseState, createPolicy, type Policy } from './chain.js'
export { type CommandDecision, judgeCommand } from './command-rules.js'
export { type CommitRequest, commitDenial, undoDenial } from './commit-gate.js'
export type { FormatRule } from './format-rules.js'
export { type FreePaths, freePathsOf } from './free-paths.js'
export { gitIgnored } from './git-ignored.js'
export { missingMutationClass, sessionClosed } from './messages.js'
export { sharedPath } from './overlap.js'
export { pathRules, ruleName, sameRule } from './path-rules.js'
export { openPolicyFile, POLICY_FILE, type PolicyState, policyProblem } from './policy-file.js'
export { type PolicyRules, readPolicy } from './policy-read.js'
export type { AccessMode } from './policy-schema.js'
export { HOOK_PACKAGES, HOST_SETTINGS, mayBeProtected, protection } from './protected.js'
export { PASSES, type RefusedPath, type Remedy, remediesFor } from './remedy.js'
export type { AskAnswers } from './rules.js'
export { compileScope, type Scope } from './scope.js'
export { secretIn, secretName } from './secrets.js'
export { DEFAULT_SETTINGS, type Limits, type Settings } from './settings.js'
