import type { ChecklistItem } from '../../index.js'
import type { State } from './state.js'
import { type Step, showMessage, step } from './step.js'
import { type Charset, type Line, type Span, wrapWords } from './text.js'

/** Columns before a sentence: the mark and the box. */
const INDENT = 6

/** Opens the checklist at the first sentence without a tick. */
export function openChecklist(state: State): Step {
  const first = state.checklist.find(({ ticked }) => !ticked) ?? state.checklist[0]
  if (first === undefined)
    return step(
      showMessage(
        state,
        "No acceptance sentence applies. 'escrow intents edit ID --criterion TEXT' declares one.",
        'warn',
      ),
    )
  return step({ ...state, mode: { kind: 'checklist', marked: keyOf(first) } })
}

/** The keys of the checklist: movement keys move the mark, Space and Enter tick, every other key goes back. */
export function onChecklistKey(state: State, marked: string, key: string, action: string | undefined): Step {
  const { checklist } = state
  const at = checklist.findIndex((each) => keyOf(each) === marked)
  const move = action === undefined ? undefined : MOVES[action]
  if (move !== undefined) {
    const next = checklist[Math.min(Math.max(0, at + move), checklist.length - 1)]
    return step(next === undefined ? state : { ...state, mode: { kind: 'checklist', marked: keyOf(next) } })
  }
  if (key !== 'Space' && key !== 'Enter') return step({ ...state, mode: { kind: 'browse' } })
  const item = checklist[at]
  // The mark is on a text, so a sentence that has just changed cannot get a tick that was meant for the old one.
  if (item === undefined) return step(showMessage(state, 'This sentence is no longer in the checklist.', 'warn'))
  if (state.busy !== undefined) return step(showMessage(state, `Not now: ${state.busy}`, 'warn'))
  return step(state, { do: 'tick', item })
}

const MOVES: Readonly<Record<string, number>> = { down: 1, next: 1, up: -1, previous: -1 }

/** The rows of the checklist, at most `rows`, with the marked sentence among them. */
export function checklistRows({ checklist, size, charset }: State, marked: string, rows: number): Line[] {
  const all = checklist.map((item) => sentenceRows(item, keyOf(item) === marked, { width: size.columns, charset }))
  const at = checklist.findIndex((item) => keyOf(item) === marked)
  const first = all.slice(0, Math.max(0, at)).reduce((sum, each) => sum + each.length, 0)
  const end = first + (all[at]?.length ?? 0)
  const top = Math.min(first, Math.max(0, end - rows))
  return all.flat().slice(top, top + rows)
}

interface Shape {
  readonly width: number
  readonly charset: Charset
}

function sentenceRows({ intentId, number, criterion, ticked, by }: ChecklistItem, isMarked: boolean, shape: Shape) {
  const text: Span[] = [
    { text: `${intentId} ${number}  `, style: 'dim' },
    { text: criterion, style: isMarked ? 'bold' : 'plain' },
    ...(by === undefined ? [] : [{ text: `  ticked by ${by.name}`, style: 'dim' as const }]),
  ]
  const lines = wrapWords(text, { width: Math.max(1, shape.width - INDENT), charset: shape.charset })
  const mark: Span = { text: isMarked ? '> ' : '  ', style: isMarked ? 'mark' : 'plain' }
  const box: Span = { text: ticked ? '[x] ' : '[ ] ', style: ticked ? 'ok' : 'wait' }
  return lines.map((line, index): Line => {
    return index === 0 ? [mark, box, ...line] : [{ text: ' '.repeat(INDENT), style: 'plain' }, ...line]
  })
}

function keyOf({ intentId, criterion }: ChecklistItem): string {
  return JSON.stringify([intentId, criterion])
}
