import type { Intent, IntentChanges, IntentTemplate, NewIntent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { newGlobProblem } from '../core/globs.js'
import type { IntentEdit } from './edit.js'
import type { OpenFile } from './parse-registry.js'

/** Computes an edit of an intent; undefined if the intent needs none. */
export type Change = (intent: Intent, file: OpenFile) => IntentEdit | undefined

export const markStarted: Change = (intent) =>
  intent.status === 'IN_PROGRESS' ? undefined : { intent: { ...intent, status: 'IN_PROGRESS' } }

/** A person's selection: also makes it the file's active intent. */
export const selectIntent: Change = (intent, file) => {
  const start = markStarted(intent, file)
  if (file.data.activeIntentId === intent.id) return start
  return { intent, ...start, activeIntentId: intent.id }
}

export const completeIntent: Change = (intent) => {
  if (intent.status === 'ARCHIVED') {
    throw new EscrowError(
      'intent_not_active',
      `Intent Not Active: ${intent.id} is ARCHIVED, so it cannot be completed.`,
    )
  }
  return intent.status === 'COMPLETED' ? undefined : { intent: { ...intent, status: 'COMPLETED' } }
}

/** @throws EscrowError `policy_invalid` for a glob that no scope can have; `nothing_selected` for a removed glob that is not in the scope. */
export function applyChanges(changes: IntentChanges): Change {
  const { addScope = [], removeScope = [], ...rest } = changes
  assertValidGlobs(addScope)
  return (intent) => {
    const absent = removeScope.find((glob) => !intent.ownedScope.includes(glob))
    if (absent !== undefined) throw globNotOwned(intent, absent)
    const scope = intent.ownedScope.filter((glob) => !removeScope.includes(glob))
    const added = [...new Set(addScope)].filter((glob) => !scope.includes(glob))
    const after = { ...intent, ...rest, ownedScope: [...scope, ...added] }
    return JSON.stringify(after) === JSON.stringify(intent) ? undefined : { intent: after }
  }
}

/**
 * Builds the intent that a person declares, with the template's parts filled in.
 * @throws EscrowError `nothing_selected` for an unknown template or a used id; `policy_invalid` for a bad glob or no name.
 */
export function newIntent(
  declared: NewIntent,
  templates: readonly IntentTemplate[],
  usedIds: ReadonlySet<string>,
): Intent {
  const { from, id = nextId(usedIds), name, status = 'PENDING', dependsOn = [] } = declared
  const template = from === undefined ? undefined : templates.find((each) => each.name === from)
  if (from !== undefined && !template) throw unknownTemplate(from, templates)
  if (usedIds.has(id)) {
    throw new EscrowError('nothing_selected', `There is already an intent ${id}.`, { hint: 'Give another id.' })
  }
  if (typeof name !== 'string' || name === '') throw new EscrowError('policy_invalid', 'An intent needs a name.')
  const ownedScope = declared.ownedScope ?? template?.ownedScope ?? []
  assertValidGlobs(ownedScope)
  return {
    id,
    name,
    status,
    ownedScope,
    constraints: [...(template?.constraints ?? []), ...(declared.constraints ?? [])],
    acceptanceCriteria: [...(template?.acceptanceCriteria ?? []), ...(declared.acceptanceCriteria ?? [])],
    checks: [...(template?.checks ?? []), ...(declared.checks ?? [])],
    dependsOn,
    createdAt: new Date().toISOString(),
  }
}

function nextId(usedIds: ReadonlySet<string>): string {
  const numbers = [...usedIds].map((id) => Number(/^INT-(\d{1,9})$/.exec(id)?.[1] ?? 0))
  return `INT-${String(Math.max(0, ...numbers) + 1).padStart(3, '0')}`
}

/** Also refuses a text in place of a list, whose characters would be taken for globs. */
function assertValidGlobs(globs: readonly string[]): void {
  if (!Array.isArray(globs))
    throw new EscrowError('policy_invalid', `A scope is a list of globs, not ${JSON.stringify(globs)}.`)
  for (const glob of globs) {
    const problem = newGlobProblem(glob)
    if (problem) throw new EscrowError('policy_invalid', `The glob ${JSON.stringify(glob)} cannot be used: ${problem}.`)
  }
}

function globNotOwned({ id, ownedScope }: Intent, glob: string): EscrowError {
  const hint = ownedScope.length === 0 ? 'Its scope is empty.' : `Its scope is: ${ownedScope.join(', ')}.`
  return new EscrowError('nothing_selected', `${glob} is not in the scope of ${id}.`, { hint })
}

function unknownTemplate(name: string, templates: readonly IntentTemplate[]): EscrowError {
  return new EscrowError('nothing_selected', `There is no template ${name}.`, {
    hint: `There are: ${templates.map((each) => each.name).join(', ')}.`,
  })
}
