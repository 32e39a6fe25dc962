import type { Change } from '../core/api.js'

/** Lines of one reason that are shown. The reason of a landing queue may have the output of a check, with hundreds. */
const REASON_LINES = 20

/**
 * Renders the rejections of a change: the rejected part, the reviewer and the first line of the reason. Its other lines follow, each
 * indented.
 */
export function rejectionLines({ rejections = [], hunks }: Pick<Change, 'rejections' | 'hunks'>): string[] {
  return rejections.flatMap(({ reason, by, hunks: rejected = [] }) => {
    const part = rejected.length === 0 ? '' : `${rejected.length} of ${hunks.length} hunks `
    const [first = '', ...rest] = reason.trim().split('\n')
    const firstLines = rest.slice(0, REASON_LINES - 1)
    const remaining = rest.length - firstLines.length
    return [
      `${part}rejected by ${by.name}: ${first.trimEnd()}`,
      ...firstLines.map((line) => `  ${line.trimEnd()}`),
      ...(remaining === 0 ? [] : [`  … ${remaining} more ${remaining === 1 ? 'line' : 'lines'}`]),
    ]
  })
}
