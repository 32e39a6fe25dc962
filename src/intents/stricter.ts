import type { Intent, IntentStatus } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { IntentsState } from '../core/intents-state.js'

type Read = Extract<IntentsState, { ok: true }>

/**
 * The state while the files differ from their accepted texts: the stricter of both. An intent that nobody has accepted
 * waits. An accepted one keeps its texts, and may write only paths that both scopes allow.
 */
export function stricterIntents(file: Read, accepted: Read): Read {
  const intents = new Map<string, Intent>()
  const waiting = new Set<string>()
  for (const [id, intent] of file.intents) {
    const known = accepted.intents.get(id)
    if (known) intents.set(id, stricterIntent(intent, known))
    else waiting.add(id)
  }
  const { activeIntentId: active, freePaths, ...rest } = file
  const ignored = new Set([...(file.ignored ?? []), ...(accepted.ignored ?? [])])
  return {
    ...rest,
    intents,
    ...(active !== undefined && active === accepted.activeIntentId && { activeIntentId: active }),
    ...(ignored.size > 0 && { ignored }),
    ...(freePaths !== undefined &&
      accepted.freePaths !== undefined && { freePaths, acceptedFreePaths: accepted.freePaths }),
    ...(waiting.size > 0 && { waiting }),
  }
}

function stricterIntent(file: Intent, accepted: Intent): Intent {
  return {
    ...accepted,
    ...stricterScope(file.ownedScope, accepted.ownedScope),
    status: stricterStatus(file.status, accepted.status),
    dependsOn: [...new Set([...accepted.dependsOn, ...file.dependsOn])],
    ...defined({ updatedAt: file.updatedAt }),
  }
}

/** One list if its globs are a narrower scope than the other's; else both. */
function stricterScope(
  file: readonly string[],
  accepted: readonly string[],
): Pick<Intent, 'ownedScope' | 'alsoWithin'> {
  if (isNarrower(file, accepted)) return { ownedScope: file }
  return isNarrower(accepted, file) ? { ownedScope: accepted } : { ownedScope: accepted, alsoWithin: file }
}

/** Whether a scope has a subset of the other's positive globs and a superset of its negative ones. */
function isNarrower(scope: readonly string[], than: readonly string[]): boolean {
  const takesAway = (glob: string) => glob.startsWith('!')
  const adds = (globs: readonly string[]) => globs.filter((glob) => !takesAway(glob))
  return (
    adds(scope).every((glob) => than.includes(glob)) && than.filter(takesAway).every((glob) => scope.includes(glob))
  )
}

const OPEN: ReadonlySet<IntentStatus> = new Set<IntentStatus>(['DRAFT', 'PENDING', 'IN_PROGRESS'])
const DONE: ReadonlySet<IntentStatus> = new Set<IntentStatus>(['COMPLETED', 'ARCHIVED'])

/** A completed intent lets others begin, so completing needs acceptance as much as reopening does. */
function stricterStatus(file: IntentStatus, accepted: IntentStatus): IntentStatus {
  if (OPEN.has(file)) return OPEN.has(accepted) ? file : accepted
  return DONE.has(file) && !DONE.has(accepted) ? 'BLOCKED' : file
}
