import type { IntentCheck } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { IntentsState } from '../core/intents-state.js'
import { compileScope } from '../policy/index.js'

/** A check with the intent that demands it. */
export interface ApplicableCheck {
  readonly intentId: string
  readonly check: IntentCheck
  /** Its number among the checks of the intent, from 0. */
  readonly index: number
}

/** The parts of a change that decide which checks apply to it. */
export interface CheckedChange {
  readonly path: string
  readonly from?: string | undefined
  readonly intentId?: string | undefined
}

/**
 * The checks that the selected changes must pass: those of every intent that a change belongs to, if a changed path
 * matches.
 * @param state with the checks as a person has accepted them on this machine
 * @throws EscrowError `policy_invalid` if the intents cannot be read
 */
export function applicableChecks(state: IntentsState, changes: readonly CheckedChange[]): ApplicableCheck[] {
  if (!state.ok) throw new EscrowError(state.reason, state.message)
  const paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))
  const ids = new Set(changes.flatMap(({ intentId }) => intentId ?? []))
  return [...ids].sort().flatMap((intentId) => {
    const { checks = [] } = state.intents.get(intentId) ?? {}
    return checks.flatMap((check, index) => (applies(check, paths) ? [{ intentId, check, index }] : []))
  })
}

function applies({ paths: globs }: IntentCheck, paths: readonly string[]): boolean {
  if (globs === undefined) return true
  const scope = compileScope(globs)
  return paths.some((path) => scope.matches(path))
}
