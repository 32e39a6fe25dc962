import type { Change } from '../core/api.js'

/** Renders the rejections of a change, one line each: the rejected part, the reviewer and the reason. */
export function rejectionLines({ rejections = [], hunks }: Pick<Change, 'rejections' | 'hunks'>): string[] {
  return rejections.map(({ reason, by, hunks: rejected = [] }) => {
    const part = rejected.length === 0 ? '' : `${rejected.length} of ${hunks.length} hunks `
    return `${part}rejected by ${by.name}: ${reason.replace(/\s+/g, ' ')}`
  })
}
