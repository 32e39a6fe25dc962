import type { Change } from '../core/api.js'
import type { ReleaseClass } from '../core/release-api.js'
import { isEcmascript, isProse, isTest } from '../risk/index.js'

/**
 * The classes that a change is proven to have; none if its class is not known. Behaviour counts as known only in
 * languages whose facts come from the syntax. In other languages facts come from lists of words, and a change that no
 * list covers would be released.
 */
export function classesOf(change: Change): ReadonlySet<ReleaseClass> {
  const found = new Set<ReleaseClass>()
  const { path, from = path, kind, mutation } = change
  const isText = change.hunks.length > 0
  if (!isText || (kind !== 'modify' && kind !== 'create')) return found
  const disagrees = mutation?.declared !== undefined && mutation.declared !== mutation.class
  if (mutation?.class === 'AST_REFACTOR' && !disagrees) {
    found.add('refactor')
    if (mutation.rule === 'layout' || mutation.rule === 'same') found.add('formatting')
  }
  if (isProse(path) && isProse(from)) found.add('documentation')
  const isRead = isEcmascript(path) && isEcmascript(from)
  if (isRead && isTest(path) && isTest(from)) found.add('tests')
  const isKnown = kind === 'create' || (mutation !== undefined && mutation.class !== 'UNVERIFIED')
  if (found.size > 0 || (isRead && isKnown && !disagrees)) found.add('any')
  return found
}
