import type { Change, ChangeGroup, Hunk, Question } from 'escrowfs'
import type { Decidable } from './nodes.js'
import type { SessionLook } from './room.js'

const ATTENTION: Readonly<Record<string, string>> = {
  delete: 'Deletions',
  'class-disagrees': 'Declared as another class than measured',
  conflict: 'In conflict',
  'out-of-scope': 'Outside of the scope',
  protected: 'Protected paths',
  drifted: 'Changed on disk meanwhile',
}

export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** What waits, in one line: '3 changes, 1 question'. */
export function waiting(changes: number, questions: number): string {
  const parts = [
    ...(changes > 0 ? [counted(changes, 'change')] : []),
    ...(questions > 0 ? [counted(questions, 'question')] : []),
  ]
  return parts.join(', ')
}

export function titleOfGroup({ attention, intentId, callId }: ChangeGroup): string {
  if (attention !== undefined) return ATTENTION[attention] ?? attention
  return [intentId ?? 'Without an intent', ...(callId === undefined ? [] : [`call ${callId}`])].join(', ')
}

/** Lines that come and go, as far as hunks show them. */
export function linesOf(hunks: readonly Hunk[]): string {
  const lines = hunks.flatMap(({ text }) => text.split('\n').slice(1))
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  return `+${count('+')} −${count('-')}`
}

const RISKS: readonly (readonly [noun: string, has: (change: Change) => boolean])[] = [
  ['deletion', ({ kind }) => kind === 'delete'],
  ['mode change', ({ kind, mode }) => kind !== 'create' && kind !== 'delete' && mode !== undefined],
  ['new program', ({ kind, mode }) => kind === 'create' && ((mode?.after ?? 0) & 0o111) !== 0],
  ['link', ({ kind, flags }) => kind === 'link' || flags.includes('symlink') || flags.includes('hard-link')],
  ['binary file', ({ flags }) => flags.includes('binary')],
  ...Object.entries(ATTENTION)
    .filter(([flag]) => flag !== 'delete')
    .map(([flag, title]) => [title.toLowerCase(), ({ flags }: Change) => flags.includes(flag)] as const),
]
/** Paths of one kind that are named. */
const NAMED = 5
/** Files that are listed before a commit. */
const LISTED = 20

/** What an approval of several files takes: how much, and what of it is risky. */
export function summaryOf(changes: readonly Change[]): string[] {
  const hunks = changes.reduce((sum, change) => sum + Math.max(1, change.hunks.length), 0)
  const risks = RISKS.flatMap(([noun, has]) => {
    const found = changes.filter(has).map(({ path }) => path)
    return found.length === 0 ? [] : [`${counted(found.length, noun)}: ${cut(found, NAMED).join(', ')}`]
  })
  const none = 'No deletion, mode change, link or binary file is among them.'
  return [`${counted(changes.length, 'file')}, ${counted(hunks, 'hunk')}.`, ...(risks.length > 0 ? risks : [none])]
}

/** What a commit writes to disk, a line for each file. */
export function landingOf(changes: readonly Change[]): string[] {
  const lines = changes.map(({ path, kind, state, hunks }) => {
    const approved = hunks.filter((hunk) => state === 'approved' || hunk.state === 'approved')
    const part = approved.length < hunks.length ? [`${approved.length} of ${counted(hunks.length, 'hunk')}`] : []
    return [path, ...(kind === 'modify' ? [] : [kind]), ...part, ...(hunks.length > 0 ? [linesOf(approved)] : [])].join(
      ' · ',
    )
  })
  return cut(lines, LISTED)
}

function cut(list: readonly string[], most: number): string[] {
  return list.length <= most ? [...list] : [...list.slice(0, most), `and ${list.length - most} more`]
}

/** A hunk by its place and the first line it changes. */
export function titleOfHunk({ newStart, newLines, text }: Hunk): string {
  const first = text.split('\n').find((line, index) => index > 0 && /^[+-]/.test(line)) ?? ''
  const last = newStart + Math.max(newLines, 1) - 1
  return `${newStart}${last === newStart ? '' : `–${last}`}  ${first.slice(0, 120)}`
}

export function describeChange(change: Change): string {
  const { kind, from, hunks, flags, state, mutation } = change
  const known = kind === 'modify' || kind === 'create' ? [] : [kind]
  const parts = [
    ...(state === 'pending' ? [] : [state]),
    ...known,
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(hunks.length > 0 ? [linesOf(hunks)] : []),
    ...flags,
    ...(mutation?.class === 'AST_REFACTOR' && mutation.declared !== 'INTENT_EVOLUTION' ? ['refactoring'] : []),
  ]
  return parts.join(', ')
}

export function textOfQuestion(question: Question): string {
  if (question.kind === 'access') return `May it write ${question.path}? The rule ${question.rule} asks.`
  if (question.kind === 'command') {
    const place = question.cwd === '' ? '' : ` in ${question.cwd}`
    return `May it run ${question.command}${place}? ${question.rules.join(', ')} asks: ${question.why}`
  }
  return `May ${question.intentId} own ${question.globs.join(', ')} too? It says: ${question.why}`
}

/** What a verdict is on, in a sentence of a person's. */
export function nameOf(node: Decidable): string {
  if (node.kind === 'session') return `every change of ${node.look.summary.id}`
  return node.kind === 'change' ? node.change.path : `a hunk of ${node.change.path}`
}

export function agentOf({ summary }: SessionLook): string {
  return [summary.agent?.tool, summary.agent?.model].filter((part) => part !== undefined).join(', ')
}
