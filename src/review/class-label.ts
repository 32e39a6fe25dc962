import type { Change } from '../core/api.js'

/** What a change's measured class tells a reviewer. */
export interface ClassLabel {
  readonly measured: string
  readonly rule: string
  readonly detail: string
  /** Only where the agent declared another class. */
  readonly declared?: string
}

/**
 * The class of a change, where it tells a reviewer something: a refactoring that was proven, or a declared class that does not match.
 * That code differs, or that a change was too large to measure, is no label.
 */
export function classLabel({ mutation, flags }: Pick<Change, 'mutation' | 'flags'>): ClassLabel | undefined {
  if (mutation === undefined) return undefined
  const { class: measured, rule, detail, declared } = mutation
  const differs = flags.includes('class-disagrees') && declared !== undefined
  if (!differs && measured !== 'AST_REFACTOR') return undefined
  return { measured, rule, detail, ...(differs && { declared }) }
}
