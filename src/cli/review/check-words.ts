import type { CheckStatus } from '../../index.js'

/** `checks: 1 passed, 2 stale`; empty without checks. */
export function describeChecks(checks: readonly CheckStatus[], running?: string): string {
  if (running !== undefined) return `checks: running ${running}`
  if (checks.length === 0) return ''
  const states = ['failed', 'stale', 'not run', 'passed'] as const
  const counts = states.flatMap((state) => {
    const count = checks.filter((each) => each.state === state).length
    return count === 0 ? [] : [`${count} ${state}`]
  })
  return `checks: ${counts.join(', ')}`
}
