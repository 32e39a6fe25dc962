/**
 * The settings of clients in a workspace: entering our hooks and servers and taking them out byte for byte, finding what
 * keeps hooks from running, and naming what a clone would have a client run.
 *
 * In: the files of a workspace. Out: the same files. Nothing of a workspace is run, but for our own hook in `escrow doctor`.
 */

export { applyClients, type ClientOptions, type FoundClient, findClients, planClients } from './config.js'
export type { ClientFile } from './files.js'
export { type ForeignSetting, foreignSettings } from './foreign.js'
export { installLauncher, launcherDir } from './launcher.js'
export { probeEntry } from './probe.js'
