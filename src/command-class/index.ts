/**
 * The command classifier: finds what a shell command line may do, from its text alone.
 *
 * In: a command line, and the names of its variables. Out: classes (`read-only`, `network`, `destructive`, …) with the parts of the line
 * that they come from. Tree-sitter parses the line, and a table describes the effects of each known program and its options. Anything
 * that is not understood is `other`, never `read-only`.
 * Must not happen here: running a command, reading a file, or deciding whether a command may run (`policy/` does).
 */
export { classifyCommand, classifyGitEffects } from './classify.js'
export { lineOf, perilousVariables } from './line.js'
