import type { JsonValue } from '../../overlay/index.js'
import { type Declarations, isMutationClass, type MutationClass } from '../core/mutation.js'
import type { StageStore } from './store.js'

/** The kind of the notes that keep what tool calls declared. */
const KIND = 'declared'

/** How many are kept in a stage: a call that is older counts as one that declared nothing. */
const KEPT = 2_000

/** Remembers the class a tool call declared for what it is going to write. */
export function declare(store: StageStore, call: string, declared: MutationClass): void {
  store.enqueue(KIND, { call, class: declared })
  const more = store.queued(KIND).length - KEPT
  if (more > KEPT / 10) store.ack(KIND, more)
}

/** What the calls of a stage declared, as its log says it. */
export function declarationsOf(store: StageStore): Declarations {
  const byCall = new Map(store.queued(KIND).flatMap(entryOf))
  return {
    of({ calls }) {
      const classes = calls.map((call) => byCall.get(call))
      if (classes.includes('INTENT_EVOLUTION')) return 'INTENT_EVOLUTION'
      return classes.length > 0 && classes.every((each) => each === 'AST_REFACTOR') ? 'AST_REFACTOR' : undefined
    },
  }
}

function entryOf(note: JsonValue): [string, MutationClass][] {
  if (typeof note !== 'object' || note === null || Array.isArray(note)) return []
  const { call, class: declared } = note as { readonly [key: string]: JsonValue }
  return typeof call === 'string' && isMutationClass(declared) ? [[call, declared]] : []
}
