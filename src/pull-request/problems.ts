import type { PullRequestReport } from './check.js'
import { describeRanges } from './ranges.js'

/** The problems of a pull request, one sentence each. Empty if it passes. */
export function problemsOf({ problems, files }: PullRequestReport): string[] {
  const unapproved = files.flatMap(({ path, unapproved }) =>
    unapproved.length === 0
      ? []
      : [`${path}: an agent wrote ${describeRanges(unapproved)}, and no record says that anybody approved it.`],
  )
  return [...problems, ...unapproved]
}

/** True if the report has no problem. */
export function holds(report: PullRequestReport): boolean {
  return problemsOf(report).length === 0
}
