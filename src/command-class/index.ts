/**
 * The command classifier: what a shell command line may do, read from its text before anything runs.
 *
 * In come a command line and the programs, variables and settings around it; out go classes (`read-only`, `network`,
 * `destructive`, …) and the parts of the line that decided. The shell is parsed by tree-sitter; one table says what each known
 * program does with its arguments. What is not understood is `other`.
 * May not happen here: running a command, a decision whether it may run (`policy/` makes it).
 */
export { classifyCommand } from './classify.js'
export { lineOf, perilousVariables } from './line.js'
