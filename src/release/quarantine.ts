import { ancestorsOf, isWithin, type RelPath } from '../../overlay/index.js'
import { outside } from '../access/index.js'
import type { Quarantine, Quarantined } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { Reviewer } from '../core/people.js'
import { gitUser } from '../host/git.js'
import { compileGlob } from '../review/index.js'
import { type LocalSession, relativeTo } from '../session/index.js'
import { effectOf, type Kept, letGo, quarantinedIn } from '../terminal/index.js'
import { type LedgerStore, newDraft } from '../trace/index.js'

export interface QuarantineDeps {
  readonly layout: Layout
  readonly sessionId: string
  readonly ledger: LedgerStore
  /** Works on the session itself, opened for it where it is not open. Rejects with `session_busy`. */
  atWork<T>(work: (session: LocalSession) => Promise<T>): Promise<T>
}

/** The person's side of what commands did and the stage did not take. */
export function quarantineOf(deps: QuarantineDeps): Quarantine {
  const { layout, sessionId } = deps
  const listKept = () => quarantinedIn(layout.session(sessionId).quarantine)
  const chosen = (paths: string | readonly string[]) => {
    const all = listKept()
    const named = [paths].flat().map((name) => {
      const path = relativeTo(layout.root, name)
      const isMatch = compileGlob(path)
      const found = all.filter((each) => isWithin(each.path, path) || isMatch?.(each.path) === true)
      if (found.length > 0) return found
      throw new EscrowError(
        'nothing_selected',
        `Nothing in the quarantine of session '${sessionId}' matches '${name}'.`,
        {
          hint: `'escrow quarantine ${sessionId}' lists what is there.`,
        },
      )
    })
    const wanted = new Set(named.flat())
    return all.filter((each) => wanted.has(each))
  }
  return {
    quarantined: async () => listKept().map(toQuarantined),
    takeQuarantined: outside(async (paths, by, intent) => {
      const wanted = chosen(paths)
      const refused = await deps.atWork((session) => take(session, wanted, listKept(), intent))
      const left = new Set(refused.map(({ path }) => path))
      const gone = wanted.filter(({ path }) => !left.has(path))
      await settle(deps, 'taken', gone, by)
      return { taken: pathsOf(gone), refused }
    }),
    dropQuarantined: outside(async (paths, by) => {
      const gone = chosen(paths)
      await settle(deps, 'dropped', gone, by)
      return pathsOf(gone)
    }),
  }
}

function toQuarantined(kept: Kept): Quarantined {
  const { path, kind, reason, message, intent, place } = kept
  const name = place.slice(place.lastIndexOf('/') + 1)
  const at = name.replace(/^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z).*$/, '$1:$2:$3.$4')
  const canBeTaken = effectOf(kept) !== undefined
  return { path, kind, reason, message, at, ...defined({ intentId: intent }), canBeTaken }
}

/** Stages the last of each path, with the directories it needs to stand in. @param forAll in place of the intent of each. */
async function take(
  session: LocalSession,
  wanted: readonly Kept[],
  all: readonly Kept[],
  forAll: string | undefined,
): Promise<Refusal[]> {
  const last = new Map(wanted.map((each) => [each.path, each]))
  const needed = new Set([...last.keys()].flatMap(ancestorsOf))
  for (const each of all)
    if (each.kind === 'dir' && needed.has(each.path) && !last.has(each.path)) last.set(each.path, each)
  const active = session.intent?.id
  const refused: Refusal[] = []
  const byIntent = new Map<string | undefined, Kept[]>()
  for (const each of last.values()) {
    const intent = forAll ?? active ?? each.intent
    if (effectOf(each) === undefined) refused.push(refusalOf(each))
    else byIntent.set(intent, [...(byIntent.get(intent) ?? []), each])
  }
  try {
    for (const [intent, group] of byIntent) {
      const denial = intent === active || intent === undefined ? undefined : await select(session, intent)
      const found = denial
        ? group.map(({ path }) => ({ path, reason: denial.reason, message: denial.message }))
        : await session.terminal.take(group.flatMap((each) => effectOf(each) ?? []))
      for (const each of found) refused.push(each)
    }
  } finally {
    if (session.intent?.id !== active) await session.selectIntent(active ?? null)
  }
  // A directory that is there by now was none of what was asked for.
  const asked = new Set<string>(wanted.map(({ path }) => path))
  return refused.filter(({ path }) => asked.has(path))
}

/** Why the intent cannot be taken up, if so. */
async function select(session: LocalSession, intent: string): Promise<EscrowError | undefined> {
  try {
    await session.selectIntent(intent)
    return undefined
  } catch (error) {
    if (error instanceof EscrowError) return error
    throw error
  }
}

function refusalOf({ path, kind }: Kept): Refusal {
  const message =
    kind === 'file'
      ? `The content of ${path} was not kept: it was too much, or could not be read.`
      : `${path} is nothing a stage can hold.`
  return { path, reason: 'unsupported', message }
}

function pathsOf(kept: readonly Kept[]): RelPath[] {
  return [...new Set(kept.map(({ path }) => path))].sort()
}

async function settle(
  { layout, sessionId, ledger }: QuarantineDeps,
  quarantine: 'taken' | 'dropped',
  gone: readonly Kept[],
  by: Reviewer = gitUser(layout.root),
): Promise<void> {
  if (gone.length === 0) return
  const paths = pathsOf(gone)
  await ledger.append([
    newDraft({ type: 'command', intent: null, session: sessionId, paths, reviewer: by, data: { quarantine } }),
  ])
  letGo(gone)
}
