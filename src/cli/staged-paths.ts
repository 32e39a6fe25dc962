import type { Change, Review, SessionSummary, Workspace } from '../index.js'
import { compileGlob, relativeName } from '../surface/index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** What of a session was asked for. */
export interface Target {
  readonly review: Review
  /** None: all of it. */
  readonly paths: readonly string[]
}

/**
 * Reads `[session] [paths...]`: without a session the only one with staged changes is meant.
 * @param words what was typed, in order.
 * @param separated how many of the words stood behind `--`; undefined where there was none.
 * Rejects with `nothing_selected` where no session or more than one could be meant.
 */
export async function targetOf(
  workspace: Workspace,
  words: readonly string[],
  separated: number | undefined,
): Promise<Target> {
  const [first, ...rest] = words
  if (first === undefined || separated === words.length)
    return { review: await workspace.review(onlyOf(await workspace.sessions())), paths: words }
  try {
    return { review: await workspace.review(first), paths: rest }
  } catch (error) {
    const review = separated === undefined ? await onlyReviewWith(workspace, first) : undefined
    if (review === undefined) throw error
    return { review, paths: words }
  }
}

/** The only session that could be meant, if a path that was typed in the place of its id is staged there. */
async function onlyReviewWith(workspace: Workspace, path: string): Promise<Review | undefined> {
  const [only, ...others] = candidates(await workspace.sessions())
  if (only === undefined || others.length > 0) return undefined
  const review = await workspace.review(only.id)
  const { changes } = await review.changes()
  return changes.some(matcherOf(path, workspace.root)) ? review : undefined
}

function onlyOf(sessions: readonly SessionSummary[]): string {
  const meant = candidates(sessions)
  const [only] = meant
  if (only !== undefined && meant.length === 1) return only.id
  const list = meant.map(({ id, changes }) => `${oneLine(id)} (${pluralize(changes, 'change')})`).join(', ')
  throw Object.assign(
    new Error(meant.length === 0 ? 'There is no session yet.' : `Several sessions have staged changes: ${list}.`),
    { reason: 'nothing_selected', hint: meant.length === 0 ? "'escrow run' starts one." : 'Name one of them.' },
  )
}

/** Those with staged changes; where nothing is staged anywhere, all. */
function candidates(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  const staged = sessions.filter(({ changes, damaged }) => changes > 0 || damaged !== undefined)
  return staged.length > 0 ? staged : sessions
}

/**
 * The changes at these paths and below them; a path can be a glob. Of a rename either name counts.
 * Throws `nothing_selected` for a path that matches none.
 */
export function changesAt(changes: readonly Change[], paths: readonly string[], root: string): Change[] {
  if (paths.length === 0) return [...changes]
  const matchers = paths.map((path) => ({ path, matches: matcherOf(path, root) }))
  const idle = matchers.find(({ matches }) => !changes.some(matches))
  if (idle === undefined) return changes.filter((change) => matchers.some(({ matches }) => matches(change)))
  throw Object.assign(new Error(`Nothing staged matches '${idle.path}'.`), {
    reason: 'nothing_selected',
    hint: "Paths are relative to the root of the workspace. 'escrow diff --name-only' lists them.",
  })
}

function matcherOf(given: string, root: string): (change: Change) => boolean {
  const name = relativeName(given, root).replace(/\/+$/, '')
  const isGlob = compileGlob(name)
  const matches = (path: string) =>
    name === '' || name === '.' || path === name || path.startsWith(`${name}/`) || isGlob?.(path) === true
  return ({ path, from }) => matches(path) || (from !== undefined && matches(from))
}
