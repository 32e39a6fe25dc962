/**
 * Trust: the texts of the workspace's files that a person has accepted on this machine, and the differences of the present files.
 *
 * It reads the shared files (policy, intents, templates, `.intentignore`) and the accepted texts of the state directory. It
 * returns a list of differences for people, and stores the accepted texts. It does not decide what an agent may do: `policy/` and
 * `intents/` apply the stricter of file and accepted text.
 */
export { acceptFiles, compareFiles } from './trust.js'
