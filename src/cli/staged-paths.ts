import type { Change, Review, SessionSummary, Workspace } from '../index.js'
import { compileGlob } from '../surface/index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'
import { nameInWorkspace, type Place } from './typed-path.js'

/** The session and paths to show. */
export interface DiffTarget {
  readonly review: Review
  /** Empty for all changes. */
  readonly paths: readonly string[]
}

/**
 * Resolves `[session] [paths...]`. The default is the only session with staged changes.
 * @param place where the command was started
 * @param names the arguments, in order
 * @param afterDashes the number of words after `--`; undefined without `--`
 * Rejects with `nothing_selected` if no session or several match.
 */
export async function resolveTarget(
  workspace: Workspace,
  place: Place,
  names: readonly string[],
  afterDashes: number | undefined,
): Promise<DiffTarget> {
  const [first, ...rest] = names
  if (first === undefined || afterDashes === names.length)
    return { review: await targetReview(workspace, undefined), paths: names }
  try {
    return { review: await workspace.review(first), paths: rest }
  } catch (error) {
    const review = afterDashes === undefined ? await onlyReviewWith(workspace, place, first) : undefined
    if (review === undefined) throw error
    return { review, paths: names }
  }
}

/** Opens the review of a session; by default the only one with staged changes. Rejects with `nothing_selected` if none or several match. */
export async function targetReview(workspace: Workspace, session: string | undefined): Promise<Review> {
  return workspace.review(session ?? onlySessionId(await workspace.sessions()))
}

/** The only candidate session, if the first argument is a path that is staged in it. */
async function onlyReviewWith(workspace: Workspace, place: Place, path: string): Promise<Review | undefined> {
  const [only, ...others] = candidates(await workspace.sessions())
  if (only === undefined || others.length > 0) return undefined
  const review = await workspace.review(only.id)
  const { changes } = await review.changes()
  const [name = ''] = namesOfStaged([path], changes, place)
  return changes.some(createMatcher(name)) ? review : undefined
}

function onlySessionId(sessions: readonly SessionSummary[]): string {
  const meant = candidates(sessions)
  const [only] = meant
  if (only !== undefined && meant.length === 1) return only.id
  const list = meant.map(({ id, changes }) => `${oneLine(id)} (${pluralize(changes, 'change')})`).join(', ')
  throw Object.assign(
    new Error(meant.length === 0 ? 'There is no session yet.' : `Several sessions have staged changes: ${list}.`),
    {
      reason: 'nothing_selected',
      hint:
        meant.length === 0
          ? "'escrow start' starts one."
          : `Name one of them, as in 'escrow diff ${oneLine(only?.id ?? '')}'.`,
    },
  )
}

/** The sessions with staged changes. All sessions if there are none. */
function candidates(sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  const staged = sessions.filter(({ changes, damaged }) => changes > 0 || damaged !== undefined)
  return staged.length > 0 ? staged : sessions
}

/**
 * Selects the changes at paths or globs and below them. Both paths of a rename match.
 * Throws `nothing_selected` for a path without a match.
 */
export function changesAt(changes: readonly Change[], paths: readonly string[], place: Place): Change[] {
  if (paths.length === 0) return [...changes]
  const matchers = namesOfStaged(paths, changes, place).map((path) => ({ path, matches: createMatcher(path) }))
  const unmatched = matchers.find(({ matches }) => !changes.some(matches))
  if (unmatched === undefined) return changes.filter((change) => matchers.some(({ matches }) => matches(change)))
  throw Object.assign(new Error(`Nothing staged matches '${unmatched.path}'.`), {
    reason: 'nothing_selected',
    hint: "Paths are relative to the root of the workspace or to this directory. 'escrow diff --name-only' lists them.",
  })
}

/** The names of typed paths or globs: those of staged changes, as {@link nameInWorkspace} resolves them. */
export function namesOfStaged(paths: readonly string[], changes: readonly Change[], place: Place): string[] {
  return paths.map((path) => nameInWorkspace(path, place, (name) => changes.some(createMatcher(name))))
}

function createMatcher(path: string): (change: Change) => boolean {
  const name = path.replace(/\/+$/, '')
  const isGlob = compileGlob(name)
  const matches = (path: string) =>
    name === '' || name === '.' || path === name || path.startsWith(`${name}/`) || isGlob?.(path) === true
  return ({ path, from }) => matches(path) || (from !== undefined && matches(from))
}
