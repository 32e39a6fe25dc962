/**
 * Risk: facts about a change that a reviewer should know before reading it, and the order in which to read changes.
 *
 * In come changes with both contents; out go facts, each with a name, a severity, a sentence and a place, and an order of changes that
 * the facts explain. Code of ECMAScript is parsed, other languages are searched for listed words. The work is bounded by size.
 * May not happen here: a file read, a decision made from a fact, a number that no fact explains.
 */
export type { Changed, Side } from './changed.js'
export { FACTS, type FileFindings } from './facts.js'
export { factsOf } from './load.js'
export { isEcmascript, isProse, isTest, runsCode } from './paths.js'
export { byRisk, riskOf } from './rank.js'
export { RULES } from './version.js'
export { withoutSecrets } from './without-secrets.js'
