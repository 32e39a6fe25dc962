/**
 * Checks a pull request against its ledger, in CI: each changed line is a person's, or a named person or a rule
 * approved it for an intent.
 *
 * In: two commits of a git repository. Out: a report, and its forms for people and forges: a summary, annotations of lines, a badge.
 * Must not happen here: running anything of the pull request, reading the checkout, using the network.
 */
export { codeQuality, githubAnnotations } from './annotations.js'
export { badge } from './badge.js'
export { checkPullRequest, type FileReport, type PullRequestReport } from './check.js'
export { type ForgeEvent, readForgeEvent } from './event.js'
export { holds, problemsOf } from './problems.js'
export { headlineOf, renderSummary } from './summary.js'
