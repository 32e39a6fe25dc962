/**
 * Edits policy.yaml when a person wants an answer to apply permanently.
 *
 * In: a question and the person's answer. Out: the new rule in `policy.yaml` and in its accepted copy. Comments and
 * order are kept. Every edit runs under one lock, and is parsed again before it is written.
 * Decides no access (`policy/`), and makes no edit that nobody asked for.
 */
export { rememberCommand } from './remember-command.js'
export { rememberRule } from './remember-rule.js'
