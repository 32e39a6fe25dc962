import { defined } from '../core/defined.js'
import type { Intent, Workspace } from '../index.js'
import { type RefusedPath, type Remedy, remediesFor, scopeOf } from '../surface/index.js'
import { oneLine } from './printable.js'

/** The refused session, and whether its quarantine has the content. */
export interface RemedyContext {
  readonly session?: string
  readonly isKept?: boolean
  /** Ids of intents to propose before others. */
  readonly prefer?: readonly string[]
}

/** Finds remedies for refusals: one for each reason, intent and rule. */
export async function remediesIn(
  workspace: Workspace,
  refused: readonly RefusedPath[],
  { session, isKept = false, prefer = [] }: RemedyContext = {},
): Promise<Remedy[]> {
  if (refused.length === 0) return []
  const intents = selectableIntents(await workspace.intents.list())
  const open = intents.map(({ id }) => id)
  const selectable = [...open.filter((id) => prefer.includes(id)), ...open.filter((id) => !prefer.includes(id))]
  return remediesFor(refused, { selectable, isInScope: scopesOf(intents), isKept, ...defined({ session }) })
}

/** Tells whether an intent may change a path. */
function scopesOf(intents: readonly Intent[]): (intentId: string, path: string) => boolean {
  const scopes = new Map(intents.map((intent) => [intent.id, scopeOf(intent)]))
  return (intentId, path) => scopes.get(intentId)?.matches(path) ?? false
}

const OPEN: readonly string[] = ['DRAFT', 'PENDING', 'IN_PROGRESS'] satisfies Intent['status'][]
const DONE: readonly string[] = ['COMPLETED', 'ARCHIVED'] satisfies Intent['status'][]

/** The intents that can be selected: open ones whose dependencies are done. */
export function selectableIntents(intents: readonly Intent[]): Intent[] {
  const done = new Set(intents.filter(({ status }) => DONE.includes(status)).map(({ id }) => id))
  return intents.filter(({ status, dependsOn }) => OPEN.includes(status) && dependsOn.every((id) => done.has(id)))
}

/** Paths that a line lists. It counts the others. */
const MAX_NAMED_PATHS = 3

/** Renders refusals with the command that resolves each group. Ends with a line break unless it is empty. */
export function renderRemedies(remedies: readonly Remedy[]): string {
  return remedies
    .map(({ reason, paths, why, command, advice }) => {
      const more = paths.length > MAX_NAMED_PATHS ? ` and ${paths.length - MAX_NAMED_PATHS} more` : ''
      const names = `${paths.slice(0, MAX_NAMED_PATHS).map(oneLine).join(', ')}${more}`
      const typed = command === undefined ? '' : `\n  ${oneLine(command)}`
      return `refused    ${names} (${oneLine(reason)}): ${oneLine(why)} ${oneLine(advice)}${typed}\n`
    })
    .join('')
}
