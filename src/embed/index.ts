/**
 * For programs that run an agent in their own process: a `node:fs` and `child_process` for the host, and the shell that
 * runs commands in its session.
 *
 * In: the host's calls. Out: governed calls, or the host's own calls if they do not concern the agent.
 */
export { type CommandOutputs, commandOutputs } from './command-outputs.js'
export { type HostFsOptions, hostFs } from './host-fs.js'
export { type HostProgramsOptions, hostPrograms } from './host-programs.js'
export { type ServeShellOptions, serveShell } from './serve-shell.js'
