import type { Change, ChangeSet, ExecResult } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { oneLine } from '../core/printable.js'

/** Largest number of names on a line of the summary; the rest are counted. */
const MAX_NAMES = 20

const LABELS: readonly (readonly [kind: Change['kind'], word: string])[] = [
  ['delete', 'deleted'],
  ['rename', 'renamed'],
  ['modify', 'modified'],
  ['create', 'created'],
  ['mode', 'mode changed'],
  ['link', 'linked'],
  ['mkdir', 'made directory'],
]

/** Summarizes a command's changes in a few lines, refusals and deletions first. */
export function summaryOf({ changes }: ChangeSet, refused: readonly Refusal[], kept: readonly string[]): string {
  const lines = [
    ...refusals(refused),
    ...LABELS.flatMap(([kind, word]) => listNames(word, changes.filter((change) => change.kind === kind).map(nameOf))),
    ...listNames('kept for later commands, not staged', kept),
  ]
  return lines.length === 0 ? 'Nothing changed.' : lines.join('\n')
}

/** Lists the addresses that a command reached, and those it was refused. */
export function networkSummary({ connections = [], unreachable = [] }: NetworkUse): string[] {
  return [
    ...listNames(
      'connected to',
      connections.map(({ to, count }) => (count === 1 ? to : `${to} (${count} times)`)),
    ),
    ...listNames('no access to', unreachable),
  ]
}

export type NetworkUse = Pick<ExecResult, 'connections' | 'unreachable'>

/** Lists refusals by reason. */
export function formatRefusals(refused: readonly Refusal[]): string {
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

/** A name with a line break must not look like a line of the summary. */
function listNames(word: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : ''
  return [`${word}: ${names.slice(0, MAX_NAMES).map(oneLine).join(', ')}${more}`]
}
