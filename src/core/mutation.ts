/** What a change does to a file, as an agent may declare it and as the ledger records it. */
export type MutationClass = 'AST_REFACTOR' | 'INTENT_EVOLUTION'

export const MUTATION_CLASSES: readonly MutationClass[] = ['AST_REFACTOR', 'INTENT_EVOLUTION']

/** What comparing both sides found. Unverified: it could not be told, so it counts as no refactoring. */
export interface Measured {
  readonly class: MutationClass | 'UNVERIFIED'
  /** The rule that decided, `layout` or `size` for instance. */
  readonly rule: string
  /** What the rule saw, for a person. */
  readonly detail: string
}

export function isMutationClass(value: unknown): value is MutationClass {
  return MUTATION_CLASSES.some((each) => each === value)
}
