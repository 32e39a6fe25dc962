/**
 * Backtest: what the rules would have done with the tool calls that agents made in the past.
 *
 * In: histories of clients, as files, and the texts of a policy and of intents. Out: the decision about each call, a report of all of
 * them in three forms, rules that would have asked less often, and recorded cases for a test in CI.
 * Must not happen here: running anything of a history, changing the disk, using the network, or deciding by other code than that which
 * decides about live calls.
 */
export type { ReplayRules } from '../judge/index.js'
export { type CaseResult, caseName, testCases } from './cases.js'
export { findHistories, knownPlaces } from './find-files.js'
export { renderProposal } from './proposal-text.js'
export { propose } from './propose.js'
export { CaseRecorder } from './record-cases.js'
export { renderPage } from './report-html.js'
export { renderText } from './report-text.js'
export { type Backtest, runBacktest } from './run.js'
export type { BacktestReport } from './tally.js'
