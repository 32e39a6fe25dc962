import { digest, type StagedChange, sameContent } from '../../overlay/index.js'
import type { Measured } from '../core/mutation.js'
import { startTimeLimit } from '../core/processor-time.js'
import type { classify } from './classify.js'

/**
 * The budget of one commit or review, about a second: bytes of source on both sides, plus {@link NODE} for each node.
 */
const BUDGET = 4 * 1024 * 1024
/** A file that takes more milliseconds of processor time costs a tenth of the budget. */
const SLOW_MS = 1_000
/** The cost of a compared node, in bytes. */
const NODE = 16

/** The whole contents of a file; null if there is none or it was not read. */
export interface Sides {
  readonly before?: Uint8Array | null
  readonly after?: Uint8Array | null
  /** The digest of `before`, if the caller has it. */
  readonly was?: string | undefined
}

/** Known classes by {@link classKey}. */
export interface KnownClasses {
  get(key: string): Measured | undefined
  set(key: string, found: Measured): void
}

/** The class of a change if it is known, without reading its contents. */
function knownClass(known: KnownClasses, { path, before, after }: StagedChange): Measured | undefined {
  return before?.type === 'file' && after?.type === 'file'
    ? known.get(classKey(path, before.digest, after.digest))
    : undefined
}

/** The key of a change: its two contents and its path, which determines the language. */
function classKey(path: string, before: string, after: string): string {
  return `${before} ${after} ${path}`
}

/**
 * Classifies changes one after another until the budget is used up. A known class costs nothing: neither side is read.
 * Everything beyond a change of one file's content evolves the intent: a file that is added, removed or renamed, or
 * whose mode or type changes.
 * @param budget bytes of source on both sides
 * @returns a function that gets a change and its contents. Given as a function, the contents are read only if needed.
 */
export function createMeasure(
  known: KnownClasses,
  budget = BUDGET,
): (change: StagedChange, sides?: Sides | (() => Sides)) => Promise<Measured> {
  let left = budget
  return async (change, sides = {}) => {
    const plain = withoutContent(change)
    if (plain !== undefined) return plain
    const unread = typeof sides === 'function' ? knownClass(known, change) : undefined
    if (unread !== undefined) return unread
    if (left <= 0) return TOO_MUCH
    const { before = null, after = null, was } = typeof sides === 'function' ? sides() : sides
    if (before === null || after === null) return unverified('base', 'the earlier content cannot be read')
    const key = classKey(change.path, was ?? digest(before), digest(after))
    const cached = known.get(key)
    if (cached !== undefined) return cached
    left -= before.length + after.length
    if (left < 0) return TOO_MUCH
    const { classify } = await loadClassifier()
    const isSlow = startTimeLimit(SLOW_MS)
    const found = await classify({ path: change.path, before, after }, (nodes) => {
      left -= NODE * nodes
    })
    if (isSlow()) left -= BUDGET / 10
    known.set(key, found)
    return found
  }
}

/** The class of a change beyond the budget. */
export const TOO_MUCH: Measured = unverified('budget', 'too much was changed at once to compare all of it')

let loading: Promise<{ readonly classify: typeof classify }> | undefined

/** Loaded on first use: most commands compare nothing, and loading takes time. */
function loadClassifier(): Promise<{ readonly classify: typeof classify }> {
  loading ??= import('./classify.js')
  return loading
}

function withoutContent({ before, after, from }: StagedChange): Measured | undefined {
  if (before === null) return evolution('created', 'a new file')
  if (after === null) return evolution('deleted', 'the file is gone')
  if (from !== undefined) return evolution('renamed-file', `it was ${from}`)
  if (before.type !== 'file' || after.type !== 'file') return evolution('link', 'a link, or another type')
  if (before.mode !== after.mode) return evolution('mode', 'its permissions changed')
  return sameContent(before, after) ? evolution('touched', 'its content stays') : undefined
}

function evolution(rule: string, detail: string): Measured {
  return { class: 'INTENT_EVOLUTION', rule, detail: detail.slice(0, 200) }
}

function unverified(rule: string, detail: string): Measured {
  return { class: 'UNVERIFIED', rule, detail }
}
