/**
 * The settings of clients in a workspace: adds escrow's hooks and servers and removes them byte for byte, finds
 * settings that keep hooks from running, and lists the programs that a clone's settings would run. Also adds git hooks.
 *
 * In: the files of a workspace. Out: the same files. It runs nothing of a workspace except escrow's own hook in `escrow doctor`.
 */

export { applyClients, type ClientOptions, type FoundClient, findClients, planClients } from './config.js'
export type { ClientFile } from './files.js'
export { type ForeignSetting, foreignSettings } from './foreign.js'
export type { GitHookPlan } from './git-hooks.js'
export { installLauncher, launcherDir } from './launcher.js'
export { gitHooks } from './load-git-hooks.js'
export { probeEntry } from './probe.js'
