import type { JsonValue } from '../../overlay/index.js'
import { type Declarations, isMutationClass, type MutationClass } from '../core/mutation.js'
import type { StageStore } from './store.js'

/** The kind of the stage notes that record the declared classes of tool calls. */
const KIND = 'declared'

/** How many notes a stage keeps. An older call counts as a call without a declaration. */
const KEPT = 2_000

/** Records the class that a tool call declared for its writes. */
export function declare(store: StageStore, call: string, declared: MutationClass): void {
  store.enqueue(KIND, { call, class: declared })
  const more = store.queued(KIND).length - KEPT
  if (more > KEPT / 10) store.ack(KIND, more)
}

/** The declarations in a stage's log. */
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
