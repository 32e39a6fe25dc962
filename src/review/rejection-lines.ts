import type { Change } from '../core/api.js'

/** The rejections of a change, each as one line: how much of it, by whom, and why. */
export function rejectionLines({ rejections = [], hunks }: Pick<Change, 'rejections' | 'hunks'>): string[] {
  return rejections.map(({ reason, by, hunks: rejected = [] }) => {
    const part = rejected.length === 0 ? '' : `${rejected.length} of ${hunks.length} hunks `
    return `${part}rejected by ${by.name}: ${reason.replace(/\s+/g, ' ')}`
  })
}
