import { ancestorsOf, isWithin, type RelPath } from '../../overlay/index.js'
import { requireOutsideSession } from '../access/index.js'
import type { Quarantine, Quarantined } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { checkedReviewer, type Reviewer } from '../core/people.js'
import { gitUser } from '../os/git.js'
import { compileGlob } from '../review/index.js'
import { type LocalSession, relativeTo } from '../session/index.js'
import { discardQuarantined, effectOf, listQuarantined, type QuarantinedFile } from '../terminal/index.js'
import { newDraft } from '../trace/index.js'
import type { ReviewedSession } from './reviewed-session.js'

/** The effects of a session's commands that policy refused, for a reviewer to stage or drop. */
export function quarantineOf(reviewed: ReviewedSession): Quarantine {
  const { layout, sessionId } = reviewed
  const listKept = () => listQuarantined(layout.session(sessionId).quarantine)
  const selectQuarantined = (paths: string | readonly string[]) => {
    const all = listKept()
    const matching = [paths].flat().map((name) => {
      const path = relativeTo(layout.root, name)
      const isMatch = compileGlob(path)
      const found = all.filter((each) => isWithin(each.path, path) || isMatch?.(each.path) === true)
      if (found.length > 0) return found
      throw new EscrowError(
        'nothing_selected',
        `Nothing in the quarantine of session '${sessionId}' matches '${name}'.`,
        { hint: `'escrow quarantine ${sessionId}' lists the paths.` },
      )
    })
    const wanted = new Set(matching.flat())
    return all.filter((each) => wanted.has(each))
  }
  return {
    quarantined: async () => listKept().map(toQuarantined),
    takeQuarantined: requireOutsideSession(async (paths, by = gitUser(layout.root), intent) => {
      const reviewer = checkedReviewer(by)
      const wanted = selectQuarantined(paths)
      const refused = await reviewed.withSession((session) => stageQuarantined(session, wanted, listKept(), intent))
      const refusedPaths = new Set(refused.map(({ path }) => path))
      const gone = wanted.filter(({ path }) => !refusedPaths.has(path))
      await recordAndDiscard(reviewed, 'taken', gone, reviewer)
      return { taken: pathsOf(gone), refused }
    }),
    dropQuarantined: requireOutsideSession(async (paths, by = gitUser(layout.root)) => {
      const gone = selectQuarantined(paths)
      await recordAndDiscard(reviewed, 'dropped', gone, checkedReviewer(by))
      return pathsOf(gone)
    }),
  }
}

function toQuarantined(kept: QuarantinedFile): Quarantined {
  const { path, kind, reason, message, intent, place } = kept
  const name = place.slice(place.lastIndexOf('/') + 1)
  const at = name.replace(/^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z).*$/, '$1:$2:$3.$4')
  const canBeTaken = effectOf(kept) !== undefined
  return { path, kind, reason, message, at, ...defined({ intentId: intent }), canBeTaken }
}

/**
 * Stages the latest effect on each path, with the directories above it.
 * @param intentOverride an intent that replaces the one of each effect
 */
async function stageQuarantined(
  session: LocalSession,
  wanted: readonly QuarantinedFile[],
  all: readonly QuarantinedFile[],
  intentOverride: string | undefined,
): Promise<Refusal[]> {
  const last = new Map(wanted.map((each) => [each.path, each]))
  const needed = new Set([...last.keys()].flatMap(ancestorsOf))
  for (const each of all)
    if (each.kind === 'dir' && needed.has(each.path) && !last.has(each.path)) last.set(each.path, each)
  const active = session.intent?.id
  const refused: Refusal[] = []
  const byIntent = new Map<string | undefined, QuarantinedFile[]>()
  for (const each of last.values()) {
    const intent = intentOverride ?? active ?? each.intent
    if (effectOf(each) === undefined) refused.push(refusalOf(each))
    else byIntent.set(intent, [...(byIntent.get(intent) ?? []), each])
  }
  try {
    for (const [intent, group] of byIntent) {
      const denial = intent === active || intent === undefined ? undefined : await trySelectIntent(session, intent)
      const found = denial
        ? group.map(({ path }) => ({ path, reason: denial.reason, message: denial.message }))
        : await session.terminal.takeEffects(group.flatMap((each) => effectOf(each) ?? []))
      for (const each of found) refused.push(each)
    }
  } finally {
    if (session.intent?.id !== active) await session.selectIntent(active ?? null)
  }
  // Directories were added for their files: the caller did not ask for them.
  const requested = new Set<string>(wanted.map(({ path }) => path))
  return refused.filter(({ path }) => requested.has(path))
}

/** Selects an intent. Returns the error if it cannot be selected. */
async function trySelectIntent(session: LocalSession, intent: string): Promise<EscrowError | undefined> {
  try {
    await session.selectIntent(intent)
    return undefined
  } catch (error) {
    if (error instanceof EscrowError) return error
    throw error
  }
}

function refusalOf({ path, kind }: QuarantinedFile): Refusal {
  const message =
    kind === 'file'
      ? `The content of ${path} was not kept, because it was too large or could not be read.`
      : `${path} is of a kind that cannot be staged.`
  return { path, reason: 'unsupported', message }
}

function pathsOf(kept: readonly QuarantinedFile[]): RelPath[] {
  return [...new Set(kept.map(({ path }) => path))].sort()
}

/** Records that effects were taken or dropped, then removes them from the quarantine. */
async function recordAndDiscard(
  { sessionId, ledger }: ReviewedSession,
  quarantine: 'taken' | 'dropped',
  gone: readonly QuarantinedFile[],
  by: Reviewer,
): Promise<void> {
  if (gone.length === 0) return
  const paths = pathsOf(gone)
  await ledger.append([
    newDraft({ type: 'command', intent: null, session: sessionId, paths, reviewer: by, data: { quarantine } }),
  ])
  discardQuarantined(gone)
}
