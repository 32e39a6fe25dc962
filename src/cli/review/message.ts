import type { CommitResult } from '../../index.js'
import { pluralize } from '../output.js'
import { describeUnticked } from './checklist-words.js'
import type { Message, State } from './state.js'
import { type Line, type Span, type Style, wrapWords } from './text.js'

const STYLES: Readonly<Record<NonNullable<State['message']>['kind'], Style>> = {
  info: 'ok',
  warn: 'warn',
  failed: 'no',
}

const SPACE: Span = { text: ' ', style: 'plain' }

/** The rows of the question, progress or message: one to four. */
export function messageRows(state: State): Line[] {
  const { columns, rows } = state.size
  const maxRows = Math.max(1, Math.min(4, rows - 10))
  const width = Math.max(1, columns - 1)
  const lines = wrapWords([messageSpan(state)], { width, charset: state.charset })
  const rest = lines.slice(maxRows - 1).flatMap((line, at) => (at === 0 ? line : [SPACE, ...line]))
  const visible = lines.length <= maxRows ? lines : [...lines.slice(0, maxRows - 1), rest]
  return visible.map((line) => [SPACE, ...line])
}

function messageSpan({ mode, busy, message, quarantined, questions, checklist, head }: State): Span {
  if (mode.kind === 'ask') return { text: mode.text, style: 'warn' }
  if (mode.kind === 'write') return { text: `${mode.label} (Enter; Escape cancels)`, style: 'warn' }
  if (busy !== undefined) return { text: busy, style: 'warn' }
  if (message !== undefined) return { text: message.text, style: STYLES[message.kind] }
  const open = checklist.filter(({ ticked }) => !ticked).length
  const waiting = [
    ...(questions.length > 0 ? [`${pluralize(questions.length, 'question')} to answer, at the top`] : []),
    ...(quarantined > 0
      ? [`${pluralize(quarantined, 'refused change')} in quarantine: escrow quarantine ${head.session}`]
      : []),
    ...(open > 0 ? [`${pluralize(open, 'sentence')} to tick: T`] : []),
  ]
  return { text: waiting.join('; '), style: 'dim' }
}

function gitSentence(git: CommitResult['git']): string {
  const last = git?.commits.at(-1)
  if (git === undefined || last === undefined) return ''
  const many = git.commits.length > 1 ? `${git.commits.length} git commits, the last is` : 'Git commit'
  return ` ${many} ${last.slice(0, 10)} on ${git.ref.replace(/^refs\/heads\//, '')}.`
}

/** The result of a commit, with its conflicts. */
export function commitMessage({
  id,
  seq,
  committed,
  conflicts,
  warnings = [],
  git,
  unticked = [],
}: CommitResult): Message {
  if (id === '') return { text: 'Nothing was committed: nothing is approved.', kind: 'warn' }
  const done = `${pluralize(committed.length, 'change')} committed, number ${seq}.${gitSentence(git)}`
  const notes = [...warnings, ...(unticked.length > 0 ? [describeUnticked(unticked)] : [])]
  const [first] = conflicts
  if (first === undefined) return { text: [done, ...notes].join(' '), kind: notes.length > 0 ? 'warn' : 'info' }
  const rest = conflicts.length > 1 ? ` and ${conflicts.length - 1} more` : ''
  return {
    text: `${done} Not on disk: ${first.path}${rest}: ${first.reason}. Another program has written to it. See the changes again.`,
    kind: 'failed',
  }
}
