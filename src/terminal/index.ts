export { landEffects, type RefusedEffect } from './apply-effects.js'
export { classifyCommand } from './classes/classify.js'
export { lineOf, perilousVariables } from './classes/line.js'
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
