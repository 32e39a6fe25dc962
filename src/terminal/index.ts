/**
 * The sandbox: runs one command on a view of the stage and reads its effects from the layer it wrote.
 *
 * In: an admitted command with its options, the stage, and the paths and variables it may see. Out: its output and
 * exit, and its effects, which `applyEffects` writes to the stage through the policy checks; refused effects go to the
 * quarantine. A `Place` is an overlay mount under bubblewrap, or a copy of the workspace if containment is not
 * possible. Must not happen here: deciding whether a command may run (`policy/`, `exec/`), or writing to the workspace.
 */
export { type ApplyResult, applyEffects, type RefusedEffect } from './apply-effects.js'
export { type MountedHome, takeHome } from './client-home.js'
export { type CommandEnd, PROCESSES } from './command-io.js'
export type { Place } from './command-place.js'
export { NO_CONFLICTS } from './conflict-check.js'
export {
  FEEDBACK_AT,
  MAX_SPOOLED,
  type SpooledReports,
  spoolDelivery,
  spoolDenial,
  spooledDeliveries,
} from './denial-spool.js'
export type { Effect, Effects } from './effects.js'
export type { GitChanges } from './git-layer.js'
export { OutputRing } from './output-ring.js'
export { hidingDirOf } from './private-places.js'
export type { Capability } from './probe.js'
export {
  type EscapeReport,
  type FoundRepairs,
  forgetContainment,
  openContained,
  openUncontained,
  probeEscapes,
  probeNow,
  repairsOf,
  runRepair,
  tryContainments,
} from './providers.js'
export { discardQuarantined, effectOf, listQuarantined, type QuarantinedFile, quarantine } from './quarantine.js'
export { SecretNames } from './secret-names.js'
export { holdsSecret, SECRET_TEXTS } from './secret-variables.js'
export { commandEnv, secretsIn, type Visibility, visibilityOf, withoutPush } from './secrets.js'
export { GIT, type GitLayerInfo, readStoredGit, type StoredGit, storedGitStamp } from './stored-git.js'
export { formatRefusals, type NetworkUse, networkSummary, summaryOf } from './summary.js'
export { type Clocks, readClocks, setBackBy } from './tree-scan.js'
