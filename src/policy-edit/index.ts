/**
 * Edits policy.yaml when a person wants an answer to hold from now on.
 *
 * In: a question and the person's answer. Out: the new rule in `policy.yaml` and in the accepted copy of it, with the file's comments and
 * order kept. Every edit runs under one lock, and is read back before it is written.
 * Must not happen here: deciding an access (`policy/`), or any edit that no person asked for.
 */
export { rememberCommand } from './remember-command.js'
export { rememberRule } from './remember-rule.js'
