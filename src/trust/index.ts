/**
 * Trust: which files of the workspace a person has accepted on this machine, and how the files differ from that now.
 *
 * In come the shared files (policy, intents, templates, `.intentignore`) and the accepted texts of the state directory.
 * Out go a list of differences for people, and an accepted text when a person says yes. Nothing here decides what an agent
 * may do: `policy/` and `intents/` hold the stricter of file and accepted text by themselves.
 */
export { acceptFiles, lookAtFiles } from './trust.js'
