import { createHash } from 'node:crypto'
import { LEDGER } from '../core/layout.js'
import type { PullRequestReport } from './check.js'
import { rangesOf } from './ranges.js'

const TITLE = 'Not approved'
const MESSAGE = 'An agent wrote this, and no record says that anybody approved it.'

interface Place {
  readonly path: string
  readonly from: number
  readonly to: number
}

function unapprovedPlaces({ files }: PullRequestReport): Place[] {
  return files.flatMap(({ path, unapproved }) => rangesOf(unapproved).map(([from, to]) => ({ path, from, to })))
}

/**
 * The unapproved lines as commands to a runner of GitHub, which shows them in the diff. It shows ten at most of one step.
 * Source: GitHub's documentation, "Workflow commands for GitHub Actions".
 */
export function githubAnnotations(report: PullRequestReport): string {
  const lines = unapprovedPlaces(report).map(
    ({ path, from, to }) =>
      `::error file=${propertyOf(path)},line=${from},endLine=${to},title=${TITLE}::${dataOf(MESSAGE)}\n`,
  )
  const others = report.problems.map((problem) => `::error title=Ledger::${dataOf(problem)}\n`)
  return [...others, ...lines].join('')
}

/** Without line ends: text of a pull request must not become a command of its own. */
function dataOf(text: string): string {
  return text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
}

function propertyOf(text: string): string {
  return dataOf(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
}

/**
 * The unapproved lines as a report that GitLab shows in the diff of a merge request.
 * Source: GitLab's documentation, "Code Quality", the report format.
 */
export function codeQuality(report: PullRequestReport): string {
  const found = unapprovedPlaces(report).map(({ path, from, to }) => issue(MESSAGE, path, from, to))
  const others = report.problems.map((problem) => issue(problem, LEDGER, 1, 1))
  return `${JSON.stringify([...others, ...found], null, 2)}\n`
}

function issue(description: string, path: string, from: number, to: number) {
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([description, path, from, to]))
    .digest('hex')
  return {
    description,
    check_name: 'escrow-ci',
    fingerprint,
    severity: 'blocker',
    location: { path, lines: { begin: from, end: to } },
  }
}
