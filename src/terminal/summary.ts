import type { Change, ChangeSet } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'

/** Names a line of the summary has before it only counts. */
const NAMED = 20

const WORDS: readonly (readonly [kind: Change['kind'], word: string])[] = [
  ['delete', 'deleted'],
  ['rename', 'renamed'],
  ['modify', 'modified'],
  ['create', 'created'],
  ['mode', 'mode changed'],
  ['link', 'linked'],
  ['mkdir', 'made directory'],
]

/** What a command did, in a few lines: what was refused and deleted first. */
export function summaryOf({ changes }: ChangeSet, refused: readonly Refusal[], kept: readonly string[]): string {
  const lines = [
    ...refusals(refused),
    ...WORDS.flatMap(([kind, word]) => listNames(word, changes.filter((change) => change.kind === kind).map(nameOf))),
    ...listNames('kept for later commands, not staged', kept),
  ]
  return lines.length === 0 ? 'Nothing changed.' : lines.join('\n')
}

/** What was refused, in a few lines. */
export function refusalsIn(refused: readonly Refusal[]): string {
  return refusals(refused).join('\n')
}

function nameOf({ path, from }: Change): string {
  return from === undefined ? path : `${from} -> ${path}`
}

function refusals(refused: readonly Refusal[]): string[] {
  const reasons = [...new Set(refused.map(({ reason }) => reason))]
  return reasons.flatMap((reason) => {
    const of = refused.filter((each) => each.reason === reason)
    return listNames(
      `refused (${reason})`,
      of.map(({ path }) => path),
    )
  })
}

function listNames(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > NAMED ? `, and ${names.length - NAMED} more` : ''
  return [`${word}: ${names.slice(0, NAMED).join(', ')}${more}`]
}
