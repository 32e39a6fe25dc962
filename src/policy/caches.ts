import type { Access, Effect } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { Intent } from '../core/intent.js'
import type { IntentsState } from '../core/intents-state.js'
import { bothScopes, compileScope, type Scope } from './scope.js'

const CACHED_PATHS = 20_000

export type ScopeCache = (state: IntentsState, id: string | undefined) => Scope | undefined

/** Compiled scopes of the intents of one state of the registry. */
export function scopeCache(): ScopeCache {
  let cachedState: IntentsState | undefined
  let scopes = new Map<string, Scope>()
  return (state, id) => {
    if (cachedState !== state) {
      cachedState = state
      scopes = new Map()
    }
    const intent = state.ok && id !== undefined ? state.intents.get(id) : undefined
    if (!intent) return undefined
    const scope = scopes.get(intent.id) ?? scopeOf(intent)
    scopes.set(intent.id, scope)
    return scope
  }
}

/** The paths that an intent may change. */
export function scopeOf({ ownedScope, alsoWithin }: Intent): Scope {
  const scope = compileScope(ownedScope)
  return alsoWithin === undefined ? scope : bothScopes(scope, compileScope(alsoWithin))
}

/** @param inputs everything `judge` depends on, except the access; compared by identity. */
export type DenialCache = (
  access: Access,
  inputs: readonly unknown[],
  judge: () => Denial | undefined,
) => Denial | undefined

/**
 * Caches denials, and their absence, by effect and path until an input changes. An access through a link, or one that creates a link,
 * is judged each time.
 */
export function denialCache(): DenialCache {
  let cachedInputs: readonly unknown[] = []
  const byEffect = new Map<Effect, Map<string, Denial | null>>()
  return (access, inputs, judge) => {
    const { effect, path, asked, target } = access
    if (path !== asked || target !== undefined) return judge()
    if (inputs.some((input, i) => input !== cachedInputs[i])) {
      byEffect.clear()
      cachedInputs = inputs
    }
    const cache = byEffect.get(effect) ?? new Map<string, Denial | null>()
    if (cache.size === 0) byEffect.set(effect, cache)
    const known = cache.get(path)
    if (known !== undefined) return known ?? undefined
    if (cache.size >= CACHED_PATHS) cache.clear()
    const denial = judge()
    cache.set(path, denial ?? null)
    return denial
  }
}
