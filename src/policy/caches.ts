import type { Denial } from '../core/denials.js'
import type { IntentsState } from '../core/intents-state.js'
import { compileScope, type Scope } from './scope.js'

const CACHED_PATHS = 20_000

export type ScopeCache = (state: IntentsState, id: string | undefined) => Scope | undefined

/** Compiled scopes of the intents of one state of the registry. */
export function scopeCache(): ScopeCache {
  let of: IntentsState | undefined
  let scopes = new Map<string, Scope>()
  return (state, id) => {
    if (of !== state) {
      of = state
      scopes = new Map()
    }
    const intent = state.ok && id !== undefined ? state.intents.get(id) : undefined
    if (!intent) return undefined
    const scope = scopes.get(intent.id) ?? compileScope(intent.ownedScope)
    scopes.set(intent.id, scope)
    return scope
  }
}

/** @param inputs all that `judge` goes by, beside the key; they are compared by identity. */
export type DenialCache = (
  inputs: readonly unknown[],
  key: string,
  judge: () => Denial | undefined,
) => Denial | undefined

/** Denials, or their absence, for as long as everything they were made from is the same. */
export function denialCache(): DenialCache {
  let madeFrom: readonly unknown[] = []
  const cache = new Map<string, Denial | undefined>()
  return (inputs, key, judge) => {
    if (cache.size >= CACHED_PATHS || inputs.some((input, i) => input !== madeFrom[i])) {
      cache.clear()
      madeFrom = inputs
    }
    const known = cache.get(key)
    if (known !== undefined || cache.has(key)) return known
    const denial = judge()
    cache.set(key, denial)
    return denial
  }
}
