import { oneLine } from '../printable.js'
import { describeChecks } from './check-words.js'
import { checklistRows } from './checklist.js'
import { describeChecklist } from './checklist-words.js'
import { countStates } from './document.js'
import { countHunks, fileRows, isDecided } from './files.js'
import { fitParts, type Part } from './fit-parts.js'
import { KEYS } from './keys.js'
import { STATE_STYLE } from './lines.js'
import { messageRows } from './message.js'
import { bodyRows, isTooSmall, layoutContextOf, visibleRows } from './place.js'
import { currentStop, type State } from './state.js'
import { fitLine, type Line, type Span, wrap, wrapWords } from './text.js'

/** Renders the screen: one line per row, each of full width. */
export function view(state: State): Line[] {
  const { rows } = state.size
  if (isTooSmall(state)) return padRows(state, [line(state, 'Window too small.', 'warn')], rows)
  const body = bodyOf(state)
  return [
    titleLine(state),
    placeLine(state),
    ...padRows(state, body, bodyRows(state)),
    ...messageRows(state).map((row) => spans(state, row)),
    keysLine(state),
  ]
}

function bodyOf(state: State): Line[] {
  const { mode } = state
  if (mode.kind === 'help') return helpRows(state, mode.top)
  if (mode.kind === 'facts') return factsRows(state, mode.top)
  if (mode.kind === 'list') return fileRows(state, mode.at, bodyRows(state)).map((row) => spans(state, row))
  if (mode.kind === 'checklist')
    return checklistRows(state, mode.marked, bodyRows(state)).map((row) => spans(state, row))
  return documentRows(state)
}

function line(state: State, text: string, style: Span['style'] = 'plain', fill: Span['style'] = 'plain'): Line {
  return spans(state, [{ text, style }], fill)
}

function spans(state: State, parts: readonly Span[], fill: Span['style'] = 'plain'): Line {
  return fitLine(parts, { width: state.size.columns, charset: state.charset }, fill)
}

function padRows(state: State, rows: readonly Line[], count: number): Line[] {
  return Array.from({ length: count }, (_, at) => rows[at] ?? line(state, ''))
}

function titleLine(state: State): Line {
  const { head, set, charset } = state
  const counts = countStates(set)
  const dot = charset === 'utf-8' ? '●' : '*'
  const states = [`${counts.pending} pending`, `${counts.approved} approved`, `${counts.rejected} rejected`].join(', ')
  const hunks = countHunks(set.changes)
  const facts = [describeChecks(state.checks, state.checking), describeChecklist(state.checklist), head.by ?? '']
  const parts: Part[] = [
    { text: ` ${head.session} `, rank: 3 },
    { text: head.live ? ` ${dot} live ` : '', rank: 5 },
    { text: ' files:', rank: 2 },
    { text: ` ${states}`, rank: 1 },
    { text: `; hunks: ${hunks.decided} of ${hunks.all}`, rank: 4 },
    ...facts.map((text, at) => ({ text: text === '' ? '' : `  ${text}`, rank: 6 + at })),
  ]
  return line(state, fitParts(parts, state.size.columns, charset), 'bar', 'bar')
}

/** Shows the file of the cursor, whose name may have scrolled off the screen. */
function placeLine(state: State): Line {
  const { stops } = state.document
  const change = currentStop(state)?.change
  const place = stops.length === 0 ? '' : `${state.cursor + 1}/${stops.length} `
  if (change === undefined) return line(state, ` ${place}`, 'dim')
  const style = STATE_STYLE[change.state]
  return spans(state, [
    { text: ` ${place}`, style: 'dim' },
    { text: change.path, style: 'bold' },
    { text: `  ${change.state}`, style },
    ...(change.intentId === undefined ? [] : [{ text: `  ${change.intentId}`, style: 'dim' as const }]),
  ])
}

function documentRows(state: State): Line[] {
  if (state.document.lines === 0) return [line(state, ''), line(state, '  Nothing is staged in this session.', 'dim')]
  const { charset, size } = state
  const bar: Span = { text: charset === 'utf-8' ? '▌ ' : '| ', style: 'mark' }
  const none: Span = { text: '  ', style: 'plain' }
  const shape = { width: size.columns, charset }
  return visibleRows(state).map(({ item, content }) => {
    const isHere = item.stop !== undefined && item.stop === state.cursor
    return fitLine([isHere ? bar : none, ...content], shape)
  })
}

/** The narrowest column for what a key does (columns of the terminal). In a narrower terminal it is below the key. */
const MIN_HELP = 16

function helpRows(state: State, top: number): Line[] {
  const all = KEYS[state.surface]
  const wide = Math.max(...all.map(({ keys }) => keys.join(', ').length)) + 2
  const isBeside = state.size.columns - wide - 2 >= MIN_HELP
  const indent = isBeside ? wide : 2
  const rows = all.flatMap(({ keys, does }) => {
    const key = keys.join(', ')
    const rest = wrapWords([{ text: does, style: 'plain' }], {
      ...layoutContextOf(state),
      width: Math.max(1, state.size.columns - indent - 2),
    })
    const below = rest.map((row, at) =>
      spans(state, [{ text: ` ${(isBeside && at === 0 ? key : '').padEnd(indent)}`, style: 'bold' }, ...row]),
    )
    return isBeside ? below : [line(state, ` ${key}`, 'bold'), ...below]
  })
  return scrollRows(state, rows, top)
}

/** The facts that the machine sent about the session. The hub does not check them. */
function factsRows(state: State, top: number): Line[] {
  const { facts = [] } = state.head
  const shape = { ...layoutContextOf(state), width: Math.max(1, state.size.columns - 2) }
  const texts = facts.length === 0 ? ['The machine sent nothing about the intents.'] : facts
  const rows = texts.flatMap((text) => [
    ...wrapWords([{ text: oneLine(text), style: 'plain' }], shape).map((row) =>
      spans(state, [{ text: ' ', style: 'plain' }, ...row]),
    ),
    line(state, ''),
  ])
  return scrollRows(state, rows, top)
}

function scrollRows(state: State, rows: readonly Line[], top: number): Line[] {
  return rows.slice(Math.min(top, Math.max(0, rows.length - bodyRows(state))))
}

/** The most important first, after {@link LAST}. */
const HUB_HINTS = ['y yes', 'n no', 'j/k hunk', 'Y/N file', 'A all', 'i intents', 'l list']
const HINTS = ['y yes', 'n no', 'j/k hunk', 'c commit', 'Y/N file', 'l list', 'u undo', 'e edit', 'x discard', '/ find']
/** These are on every screen. */
const LAST = ['? help', 'q quit']

function keysLine(state: State): Line {
  const { mode } = state
  if (mode.kind === 'write') return typedLine(state, mode.text)
  if (mode.kind === 'ask') {
    const keys = Object.keys(mode.choices)
    return line(state, keys.length === 0 ? ' any key continues' : ` ${keys.join('/')}, any other key: no`, 'dim')
  }
  if (mode.kind === 'list') return line(state, ' j/k move, Enter opens the file, any other key goes back', 'dim')
  if (mode.kind === 'checklist') return line(state, ' j/k move, Space ticks or clears, any other key goes back', 'dim')
  if (mode.kind === 'help' || mode.kind === 'facts') return line(state, ' j/k scroll, any other key goes back', 'dim')
  return line(state, hintsOf(state), 'dim')
}

/** The keys that fit into the row. */
function hintsOf({ surface, set, size, charset }: State): string {
  const hints = surface === 'hub' ? HUB_HINTS : HINTS
  const [decided, next] =
    surface === 'hub' ? ['Everything is decided ', ''] : ['Everything is decided:', ' Enter commits ']
  const parts: Part[] = [
    ...(isDecided(set) ? [` ${decided}`, next].map((text, at) => ({ text, rank: 4 - at })) : []),
    ...hints.map((text, at) => ({ text: ` ${text} `, rank: 5 + at })),
    ...LAST.map((text, at) => ({ text: ` ${text} `, rank: 1 + at })),
  ]
  return fitParts(parts, size.columns, charset)
}

/** Shows the end of the typed text with a cursor. */
function typedLine(state: State, text: string): Line {
  const cursor = state.charset === 'utf-8' ? '█' : '_'
  const shape = { width: Math.max(1, state.size.columns - 3), charset: state.charset }
  const rows = wrap([{ text: text + cursor, style: 'bold' }], shape)
  return spans(state, [{ text: ' > ', style: 'dim' }, ...(rows.at(-1) ?? [])])
}
