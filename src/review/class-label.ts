import type { Change } from '../core/api.js'

/** The measured class of a change, for a reviewer. */
export interface ClassLabel {
  readonly measured: string
  readonly rule: string
  readonly detail: string
  /** Set if the agent declared another class. */
  readonly declared?: string
}

/**
 * Returns the label of a proven refactoring, or of a class that differs from the declared one. Undefined if the code merely differs, or
 * if the change was too large to measure.
 */
export function classLabel({ mutation, flags }: Pick<Change, 'mutation' | 'flags'>): ClassLabel | undefined {
  if (mutation === undefined) return undefined
  const { class: measured, rule, detail, declared } = mutation
  const differs = flags.includes('class-disagrees') && declared !== undefined
  if (!differs && measured !== 'AST_REFACTOR') return undefined
  return { measured, rule, detail, ...(differs && { declared }) }
}
