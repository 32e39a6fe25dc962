import type { SessionSummary } from '../../index.js'
import { pluralize } from '../output.js'
import { actionOf } from './keys.js'
import type { Size } from './state.js'
import { type Charset, fitLine, type Line, type Span } from './text.js'

/** A session with changes or questions to decide. */
export interface WaitingSession extends SessionSummary {
  /** Open questions. */
  readonly questions: number
  /** On a hub: what its line says in place of the agent and the intents. */
  readonly detail?: string
}

export interface ListState {
  readonly sessions: readonly WaitingSession[]
  readonly cursor: number
  readonly size: Size
  readonly charset: Charset
  readonly message?: string
}

export type ListEvent =
  | { readonly is: 'key'; readonly key: string }
  | { readonly is: 'resized'; readonly size: Size }
  | { readonly is: 'sessions'; readonly sessions: readonly WaitingSession[] }
  | { readonly is: 'message'; readonly text: string }

type ListEffect = { readonly do: 'open'; readonly session: string } | { readonly do: 'redraw' | 'suspend' | 'quit' }

interface ListStep {
  readonly state: ListState
  readonly effect?: ListEffect
}

/** Selects sessions that need a person, those with open questions first. */
export function waitingSessions(sessions: readonly WaitingSession[]): WaitingSession[] {
  const isWaiting = ({ changes, questions, damaged }: WaitingSession) =>
    changes + questions > 0 || damaged !== undefined
  return sessions.filter(isWaiting).sort((a, b) => Number(b.questions > 0) - Number(a.questions > 0))
}

export function updateList(state: ListState, event: ListEvent): ListStep {
  const { message, ...rest } = state
  if (event.is === 'resized') return { state: { ...state, size: event.size } }
  if (event.is === 'message') return { state: { ...rest, message: event.text } }
  if (event.is === 'sessions')
    return { state: { ...state, sessions: event.sessions, cursor: keepCursor(state, event.sessions) } }
  return onKey(rest, event.key)
}

/** The index of the cursor's session in the new list. */
function keepCursor({ sessions, cursor }: ListState, now: readonly WaitingSession[]): number {
  const at = now.findIndex(({ id }) => id === sessions[cursor]?.id)
  return at >= 0 ? at : Math.min(cursor, Math.max(0, now.length - 1))
}

function onKey(state: ListState, key: string): ListStep {
  const here = state.sessions[state.cursor]
  const moveTo = (cursor: number) => ({
    ...state,
    cursor: Math.min(Math.max(0, cursor), Math.max(0, state.sessions.length - 1)),
  })
  if (key === 'Enter') return here === undefined ? { state } : { state, effect: { do: 'open', session: here.id } }
  switch (actionOf(key)) {
    case 'next':
    case 'down':
      return { state: moveTo(state.cursor + 1) }
    case 'previous':
    case 'up':
      return { state: moveTo(state.cursor - 1) }
    case 'first':
      return { state: moveTo(0) }
    case 'last':
      return { state: moveTo(state.sessions.length) }
    case 'redraw':
      return { state, effect: { do: 'redraw' } }
    case 'suspend':
      return { state, effect: { do: 'suspend' } }
    case 'quit':
      return { state, effect: { do: 'quit' } }
    default:
      return { state }
  }
}

/** Renders the list, two rows for each session. */
export function viewList(state: ListState): Line[] {
  const { size, charset, sessions, cursor } = state
  const row = (spans: readonly Span[], fill: Span['style'] = 'plain') =>
    fitLine(spans, { width: size.columns, charset }, fill)
  const text = (content: string, style: Span['style'] = 'plain', fill: Span['style'] = 'plain') =>
    row([{ text: content, style }], fill)
  const room = Math.max(0, size.rows - 3)
  const visibleCount = Math.max(1, Math.floor(room / 2))
  const top = Math.min(Math.max(0, cursor - Math.floor(visibleCount / 2)), Math.max(0, sessions.length - visibleCount))
  const bar: Span = { text: charset === 'utf-8' ? '▌ ' : '| ', style: 'mark' }
  const body = sessions.slice(top, top + visibleCount).flatMap((session, at) => {
    const mark = top + at === cursor ? bar : { text: '  ', style: 'plain' as const }
    return [row([mark, ...headSpans(session, charset)]), row([mark, { text: `  ${detailOf(session)}`, style: 'dim' }])]
  })
  const rows = body.length > 0 ? body : [text(''), text('  No session waits for a review.', 'dim')]
  const lines = [
    text(` ${pluralize(sessions.length, 'session')} to review`, 'bar', 'bar'),
    ...Array.from({ length: room }, (_, at) => rows[at] ?? text('')),
    text(` ${state.message ?? ''}`, 'warn'),
    text(' Enter review  j/k move  q quit', 'dim'),
  ]
  return lines.slice(0, size.rows)
}

function headSpans({ id, live, changes, questions, damaged }: WaitingSession, charset: Charset): Span[] {
  return [
    { text: id, style: 'bold' },
    { text: `  ${pluralize(changes, 'change')}`, style: 'wait' },
    ...(questions > 0 ? [{ text: `  asks ${questions}`, style: 'warn' as const }] : []),
    ...(live ? [{ text: `  ${charset === 'utf-8' ? '●' : '*'} live`, style: 'ok' as const }] : []),
    ...(damaged === undefined ? [] : [{ text: '  damaged', style: 'no' as const }]),
  ]
}

function detailOf({ agent, intents = [], damaged, detail }: WaitingSession): string {
  if (detail !== undefined) return detail
  return [damaged ?? [], agent?.model ?? agent?.tool ?? 'unknown agent', intents.join(', ') || 'no intent']
    .flat()
    .join('  ')
}
