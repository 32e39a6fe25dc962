import { defined } from './defined.js'

/** What a change does to a file, as an agent may declare it and as the ledger records it. */
export type MutationClass = 'AST_REFACTOR' | 'INTENT_EVOLUTION'

const MUTATION_CLASSES: readonly MutationClass[] = ['AST_REFACTOR', 'INTENT_EVOLUTION']

export function isMutationClass(value: unknown): value is MutationClass {
  return MUTATION_CLASSES.some((each) => each === value)
}

/** What comparing both sides found. Unverified: it could not be told, so it counts as no refactoring. */
export interface Measured {
  readonly class: MutationClass | 'UNVERIFIED'
  /** The rule that decided, `layout` or `size` for instance. */
  readonly rule: string
  /** What the rule saw, for a person. */
  readonly detail: string
}

/** What was measured, beside what the agent said it was going to do. */
export interface Mutation extends Measured {
  readonly declared?: MutationClass
}

export function mutationOf(measured: Measured, declared: MutationClass | undefined): Mutation {
  return { ...measured, ...defined({ declared }) }
}

/** True where the agent declared another class than was measured. What could not be measured is no contradiction. */
export function disagrees({ class: measured, declared }: Mutation): boolean {
  return declared !== undefined && measured !== 'UNVERIFIED' && measured !== declared
}

/** What the tool calls of a session declared. */
export interface Declarations {
  /** Of a change: what all its calls declare, an evolution where one of them does. */
  of(change: { readonly calls: readonly string[] }): MutationClass | undefined
}
