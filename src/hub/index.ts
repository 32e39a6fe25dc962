/**
 * The data that several machines share: sessions, claims, the review queue, contents and ledgers, in a PostgreSQL
 * database.
 *
 * In: a database (a server, or PGlite in a directory) and the tenant and workspace of the caller. Out: one store for each interface of
 * `types.ts`. Each change of a store is one transaction, and the order of changes is a sequence that consumers read.
 *
 * No SQL may contain a value: values are parameters. No query may run outside `inScope`, which sets the tenant, the workspace and the
 * role that row security applies to. The exceptions are migrations, tokens, sign-ins, and the repositories, because workers look for work in every
 * workspace. Nothing here listens on the network or reads a workspace.
 */
export { BODY, CHANGE } from './change-body.js'
export { changeKey } from './change-key.js'
export { limitFacts, limitSentences, SESSION_FACTS } from './facts.js'
export { HubError, type HubErrorCode } from './hub-error.js'
export { decidableHunks, isContentOnly } from './hunks.js'
export { describeMissing } from './missing.js'
export { hasDatabase, openDatabase } from './open-database.js'
export { packageMissing } from './package-missing.js'
export { listRepositories, removeRepository, setRepository, takeTurn } from './repositories.js'
export { RULES, teamsWithoutPaths } from './review-rules.js'
export { riskLevel } from './risk-level.js'
export { listSignInGroups, removeSignInGroup, setSignInGroup } from './sign-in-groups.js'
export type { Access, BegunSignIn, Person, SignIn, SignInRole } from './sign-in-types.js'
export {
  addSignIn,
  beginSignIn,
  chooseAccess,
  endSignIn,
  endSignInsNamed,
  findSignIn,
  takeBegunSignIn,
} from './sign-ins.js'
export type { Database } from './sql.js'
export { openStores } from './stores.js'
export { addToken, findToken, listTokens, revokeToken } from './tokens.js'
export {
  type ChosenHunks,
  type Claim,
  type Decision,
  type DecisionRequest,
  type Hold,
  type HunkState,
  type Identity,
  type IntentFacts,
  type Landing,
  type LandingCheck,
  type LandingEnd,
  type Missing,
  type OpenLanding,
  type QueuedChange,
  type Repository,
  type ReviewRules,
  ROLES,
  type Role,
  type Scope,
  type SessionFacts,
  type Stores,
  type SubmissionDetails,
  type SubmissionSummary,
  type SubmittedChange,
  type Turn,
} from './types.js'
