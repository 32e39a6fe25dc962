import type { Change, ChangeGroup, Hunk, Question } from 'escrowfs'
import type { Decidable } from './nodes.js'
import type { SessionSnapshot } from './reviewed-workspace.js'

const ATTENTION: Readonly<Record<string, string>> = {
  delete: 'Deletions',
  'class-disagrees': 'Declared as another class than measured',
  conflict: 'In conflict',
  'out-of-scope': 'Outside of the scope',
  protected: 'Protected paths',
  drifted: 'Changed on disk',
}

export function pluralize(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** Formats counts as '3 changes, 1 question'. */
export function describeCounts(changes: number, questions: number): string {
  const parts = [
    ...(changes > 0 ? [pluralize(changes, 'change')] : []),
    ...(questions > 0 ? [pluralize(questions, 'question')] : []),
  ]
  return parts.join(', ')
}

export function titleOfGroup({ attention, intentId, callId }: ChangeGroup): string {
  if (attention !== undefined) return ATTENTION[attention] ?? attention
  return [intentId ?? 'Without an intent', ...(callId === undefined ? [] : [`call ${callId}`])].join(', ')
}

/** Counts the added and removed lines in hunks. */
export function countLines(hunks: readonly Hunk[]): string {
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
/** The number of paths of one kind that are listed. */
const MAX_NAMES = 5
/** The number of files that are listed before a commit. */
const MAX_FILES = 20

/** Describes an approval of several files: the amounts, and the risky changes. */
export function summaryOf(changes: readonly Change[]): string[] {
  const hunks = changes.reduce((sum, change) => sum + Math.max(1, change.hunks.length), 0)
  const risks = RISKS.flatMap(([noun, has]) => {
    const found = changes.filter(has).map(({ path }) => path)
    return found.length === 0 ? [] : [`${pluralize(found.length, noun)}: ${truncateList(found, MAX_NAMES).join(', ')}`]
  })
  const none = 'No deletion, mode change, link or binary file is among them.'
  return [`${pluralize(changes.length, 'file')}, ${pluralize(hunks, 'hunk')}.`, ...(risks.length > 0 ? risks : [none])]
}

/** Describes a commit, a line for each file. */
export function commitDetails(changes: readonly Change[]): string[] {
  const lines = changes.map(({ path, kind, state, hunks }) => {
    const approved = hunks.filter((hunk) => state === 'approved' || hunk.state === 'approved')
    const part = approved.length < hunks.length ? [`${approved.length} of ${pluralize(hunks.length, 'hunk')}`] : []
    return [
      path,
      ...(kind === 'modify' ? [] : [kind]),
      ...part,
      ...(hunks.length > 0 ? [countLines(approved)] : []),
    ].join(' · ')
  })
  return truncateList(lines, MAX_FILES)
}

function truncateList(list: readonly string[], limit: number): string[] {
  return list.length <= limit ? [...list] : [...list.slice(0, limit), `and ${list.length - limit} more`]
}

/** The title of a hunk: its lines and the first changed line. */
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
    ...(hunks.length > 0 ? [countLines(hunks)] : []),
    ...flags,
    ...(mutation?.class === 'AST_REFACTOR' && mutation.declared !== 'INTENT_EVOLUTION' ? ['refactoring'] : []),
  ]
  return parts.join(', ')
}

/** The gravest fact about a change, with its severity; empty if there is none but notes. */
export function topFact({ risk }: Change): string {
  const fact = risk?.facts[0]
  return fact === undefined || fact.severity === 'note' ? '' : `${fact.severity}: ${fact.sentence}`
}

export function textOfQuestion(question: Question): string {
  if (question.kind === 'access') return `May it write ${question.path}? The rule ${question.rule} asks.`
  if (question.kind === 'command') {
    const place = question.cwd === '' ? '' : ` in ${question.cwd}`
    return `May it run ${question.command}${place}? ${question.rules.join(', ')} asks: ${question.why}`
  }
  return `May ${question.intentId} own ${question.globs.join(', ')} too? It says: ${question.why}`
}

/** Describes the subject of a verdict. */
export function describeNode(node: Decidable): string {
  if (node.kind === 'session') return `every change of ${node.snapshot.summary.id}`
  return node.kind === 'change' ? node.change.path : `a hunk of ${node.change.path}`
}

export function agentOf({ summary }: SessionSnapshot): string {
  return [summary.agent?.tool, summary.agent?.model].filter((part) => part !== undefined).join(', ')
}
