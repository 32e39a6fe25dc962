import { defined } from './defined.js'

/** The class of a change: `AST_REFACTOR` keeps the behaviour, `INTENT_EVOLUTION` may change it. */
export type MutationClass = 'AST_REFACTOR' | 'INTENT_EVOLUTION'

const MUTATION_CLASSES: readonly MutationClass[] = ['AST_REFACTOR', 'INTENT_EVOLUTION']

export function isMutationClass(value: unknown): value is MutationClass {
  return MUTATION_CLASSES.some((each) => each === value)
}

/** The measured class of a change: the result of comparing its two contents. */
export interface Measured {
  /** `UNVERIFIED`: the comparison was not conclusive, so the change does not count as a refactoring. */
  readonly class: MutationClass | 'UNVERIFIED'
  /** The rule that decided, for example `layout` or `size`. */
  readonly rule: string
  /** The reason of the rule, as text for a person. */
  readonly detail: string
}

/** The measured class of a change, and the class that the agent declared. */
export interface Mutation extends Measured {
  readonly declared?: MutationClass
}

export function mutationOf(measured: Measured, declared: MutationClass | undefined): Mutation {
  return { ...measured, ...defined({ declared }) }
}

/** Returns whether the declared class contradicts the measured one. An unverified class contradicts nothing. */
export function disagrees({ class: measured, declared }: Mutation): boolean {
  return declared !== undefined && measured !== 'UNVERIFIED' && measured !== declared
}

/** The classes that the tool calls of a session declared. */
export interface Declarations {
  /** Returns the declared class of a change: an evolution if one of its calls declared one, a refactoring if all calls did. */
  of(change: { readonly calls: readonly string[] }): MutationClass | undefined
}
