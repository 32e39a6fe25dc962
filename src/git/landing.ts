import { isObject } from '../core/is-object.js'
import { isObjectId } from './entries.js'

/** New commits that wait for their changes to be on disk. It is stored in the commit's ledger record. */
export interface GitLanding {
  /** `HEAD` or a branch's ref. */
  readonly ref: string
  /** The commit of the ref when the new commits were made; null if the ref is to be created. */
  readonly old: string | null
  /** The ids of the new commits, oldest first. */
  readonly commits: readonly string[]
  /** Whether the ref is checked out: its index entries are to be updated. */
  readonly checked_out: boolean
}

const REF = /^(?:HEAD|refs\/heads\/[^\s\0\\:?*[~^]+)$/

/** Reads a landing from a record's data; undefined if there is none, or it does not fit. */
export function gitLandingOf(value: unknown): GitLanding | undefined {
  if (!isObject(value)) return undefined
  const { ref, old, commits, checked_out } = value
  const isId = (each: unknown): each is string => typeof each === 'string' && isObjectId(each)
  if (typeof ref !== 'string' || !REF.test(ref) || (old !== null && !isId(old))) return undefined
  if (!Array.isArray(commits) || commits.length === 0 || !commits.every(isId)) return undefined
  return { ref, old, commits, checked_out: checked_out === true }
}
