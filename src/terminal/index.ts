/**
 * The contained terminal: a command runs over a mount of the staged view, and its effects come back as proposals.
 *
 * In come an admitted command, the view's files and the variables it may see; out come its output, its end, and the files
 * it changed, each checked by policy before it is staged. What is refused goes to quarantine. `place` is where a command
 * runs: an overlay mount with bubblewrap, or a copy.
 * May not happen here: a decision that a command may run (`policy/`), a write of the workspace itself.
 */
export { landEffects, type RefusedEffect } from './apply-effects.js'
export { type MountedHome, takeHome } from './client-home.js'
export { type CommandEnd, PROCESSES } from './command-io.js'
export { openSandbox, type Place } from './command-place.js'
export { openCopy } from './copy-place.js'
export {
  MAX_SPOOLED,
  type SpooledReports,
  spoolDelivered,
  spoolDenial,
  spooledDeliveries,
  WORDS_AT,
} from './denial-spool.js'
export type { Effect, Effects } from './effects.js'
export { OutputRing } from './output-ring.js'
export { type Capability, probe, probeNow } from './probe.js'
export { effectOf, type Kept, letGo, quarantine, quarantinedIn } from './quarantine.js'
export { SecretNames } from './secret-names.js'
export { commandEnv, secretsIn, type Visibility, visibilityOf } from './secrets.js'
export { refusalsIn, summaryOf } from './summary.js'
