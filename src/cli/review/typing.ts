import { toStop, toUndecided } from './browse.js'
import { changeKey, hunkLines } from './document.js'
import { filesOf } from './files.js'
import { clampPlace } from './place.js'
import type { AskMode, InputMode, State } from './state.js'
import { type Step, showMessage, step } from './step.js'

/** The longest input, in UTF-16 units. */
const TEXT_LIMIT = 2_000
const CANCEL_KEYS = new Set(['Escape', 'Ctrl-C'])

/** Handles a key while a line is typed. Enter submits; Escape and Ctrl-C cancel. */
export function onInputKey(state: State, mode: InputMode, key: string): Step {
  if (CANCEL_KEYS.has(key)) return step(showMessage(toBrowseMode(state), 'Nothing was changed.'))
  if (key === 'Enter') return submit(toBrowseMode(state), mode)
  return step({ ...state, mode: { ...mode, text: applyKey(mode.text, key).slice(0, TEXT_LIMIT) } })
}

function applyKey(text: string, key: string): string {
  if (key === 'Backspace' || key === 'Ctrl-H') return [...text].slice(0, -1).join('')
  if (key === 'Ctrl-U') return ''
  if (key === 'Ctrl-W') return text.replace(/\S*\s*$/, '')
  const letter = key === 'Space' ? ' ' : key
  return [...letter].length === 1 ? text + letter : text
}

/** Inserts pasted text. Line ends and other control characters become spaces. */
export function onPaste(state: State, text: string): State {
  const { mode } = state
  if (mode.kind !== 'write') return state
  return { ...state, mode: { ...mode, text: (mode.text + text.replace(/\p{Cc}+/gu, ' ')).slice(0, TEXT_LIMIT) } }
}

function submit(state: State, { text, then }: InputMode): Step {
  if (then.do === 'search') return step(findNext({ ...state, search: text === '' ? state.search : text }))
  const input = text.trim()
  if (input === '')
    return step(showMessage(state, 'Give a reason that the agent can act on. Nothing was changed.', 'warn'))
  if (then.do === 'deny') {
    return step(toUndecided(state), { do: 'answer', question: then.question, answer: { answer: 'deny', words: input } })
  }
  const { target } = then
  const next = toUndecided(state, target.hunk === undefined ? target.change : undefined)
  return step(next, { do: 'reject', target, words: input, shown: state.set })
}

/** Handles a key while a question is open. Only the offered keys have an effect. */
export function onAskKey(state: State, { choices }: AskMode, key: string, at: number): Step {
  const effect = Object.hasOwn(choices, key) ? choices[key] : undefined
  const next = toBrowseMode(state)
  if (effect === undefined && Object.keys(choices).length === 0) return step(next)
  if (effect === undefined) return step(showMessage(next, 'Nothing was changed.'))
  if (at < state.freshUntil)
    return step(showMessage(next, 'This changed just now. Look at it again, then decide.', 'warn'))
  return step(next, effect)
}

/** Handles a key in the list of files: movement keys move the mark, Enter opens its file, other keys close the list. */
export function onListKey(state: State, at: number, action: string | undefined): Step {
  const files = filesOf(state)
  const by: Readonly<Record<string, number>> = { down: 1, next: 1, nextFile: 1, up: -1, previous: -1, previousFile: -1 }
  const move = action === undefined ? undefined : by[action]
  if (move !== undefined) {
    const next = Math.min(Math.max(0, at + move), Math.max(0, files.length - 1))
    return step({ ...state, mode: { kind: 'list', at: next } })
  }
  const back = toBrowseMode(state)
  if (action !== 'list') return step(back)
  const stop = state.document.stops.findIndex(({ change }) => change !== undefined && change === files[at])
  return step(stop < 0 ? back : toStop(back, stop))
}

function toBrowseMode(state: State): State {
  return { ...state, mode: { kind: 'browse' } }
}

/** Moves to the next path or line that contains the search text, and wraps around at the end. */
function findNext(state: State): State {
  const query = state.search.toLowerCase()
  const { stops, items } = state.document
  if (query === '' || stops.length === 0) return state
  for (let each = 1; each <= stops.length; each++) {
    const at = (state.cursor + each) % stops.length
    const stop = stops[at]
    const item = stop && items[stop.item]
    if (stop === undefined || item === undefined) continue
    const previous = stops[at - 1]?.change
    const isFirst =
      previous === undefined || stop.change === undefined || changeKey(previous) !== changeKey(stop.change)
    const inPath = isFirst && stop.change?.path.toLowerCase().includes(query) === true
    const inText = stop.hunk?.text.toLowerCase().includes(query) === true
    if (!inPath && !inText) continue
    const next = toStop(state, at)
    if (inPath || !stop.hunk) return next
    const line = hunkLines(stop.hunk).findIndex(({ text }) => text.toLowerCase().includes(query))
    return line < 0 ? next : scrollToLine(next, item.first + line)
  }
  return showMessage(state, `No line contains '${state.search}'.`, 'warn')
}

/** Scrolls down to a line, with two lines above it. */
function scrollToLine(state: State, line: number): State {
  const top = clampPlace(state, { line: Math.max(0, line - 2), row: 0 })
  return top.line > state.top.line ? { ...state, top } : state
}
