import { createHash } from 'node:crypto'
import { defined } from '../core/defined.js'
import type { Change, Hunk } from '../index.js'
import {
  type CommandRun,
  chaptersOf,
  describeRun,
  describeRunInRows,
  flagReasons,
  foldReason,
  foldTitle,
  type ReviewOrder,
  rejectionLines,
  riskLines,
  type WorkEvent,
} from '../surface/index.js'
import type { Displayed } from './review-handle.js'
import type { WireChange, WireChanges } from './wire.js'

/** Converts a change set for the page's list, without file texts. Changes that need attention come first. */
export function toWireChanges(
  session: string,
  { set, marks }: Displayed,
  work: readonly WorkEvent[],
  order: ReviewOrder = 'step',
): WireChanges {
  const groups = chaptersOf(set, order, work).map((group) => ({
    title: group.title,
    grave: group.attention !== undefined,
    commands: group.commands.map(describeWithScript),
    changes: group.changes.map((change) => toWireChange(change, marks.get(change) ?? '')),
  }))
  return { session, digest: set.digest, groups }
}

/** The command in one line, then the lines of its script. */
function describeWithScript(run: CommandRun): string {
  const [, ...lines] = describeRunInRows(run)
  return [describeRun(run), ...lines].join('\n')
}

function toWireChange(change: Change, mark: string): WireChange {
  const { path, from, kind, state, flags, hunks, intentId, calls, mutation, mode } = change
  const reason = foldReason(change)
  const count = (word: string) => hunks.filter((hunk) => hunk.state === word).length
  return {
    path,
    kind,
    state,
    flags,
    why: [...rejectionLines(change), ...riskLines(change), ...flagReasons(change)],
    mark,
    look: verdictDigest(hunks),
    ...lineCounts(change),
    hunks: [hunks.length, count('approved'), count('rejected')],
    ...defined({ from }),
    ...(mode !== undefined && { mode: `${octal(mode.before)} to ${octal(mode.after)}` }),
    ...defined({ intentId, calls }),
    ...(reason !== undefined && { folded: foldTitle(reason) }),
    ...(mutation !== undefined && { measured: mutation.class, rule: mutation.rule }),
    ...(mutation?.declared !== undefined && { declared: mutation.declared }),
  }
}

function verdictDigest(hunks: readonly Hunk[]): string {
  const hash = createHash('sha256')
  for (const { id, state } of hunks) hash.update(`${id} ${state}\n`)
  return hash.digest('base64url')
}

function octal(bits: number | null): string {
  return bits === null ? 'none' : bits.toString(8).padStart(3, '0')
}

export function lineCounts({ hunks, state }: Change): Pick<WireChange, 'added' | 'removed' | 'landing'> {
  const [added, removed] = countLines(hunks)
  const landing = state === 'approved' ? hunks : hunks.filter((hunk) => hunk.state === 'approved')
  return { added, removed, landing: countLines(landing) }
}

function countLines(hunks: readonly Hunk[]): [added: number, removed: number] {
  let [added, removed] = [0, 0]
  for (const { text } of hunks) {
    for (let at = text.indexOf('\n') + 1; at > 0 && at < text.length; at = text.indexOf('\n', at) + 1) {
      if (text[at] === '+') added++
      if (text[at] === '-') removed++
    }
  }
  return [added, removed]
}
