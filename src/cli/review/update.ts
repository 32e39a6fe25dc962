import { defined } from '../../core/defined.js'
import type { Change, ChangeState, CommitProgress } from '../../index.js'
import { pluralize } from '../output.js'
import { act } from './browse.js'
import { onChecklistKey } from './checklist.js'
import { changeKey } from './document.js'
import { isDecided } from './files.js'
import { actionOf } from './keys.js'
import type { FileColors } from './lines.js'
import { bodyRows, clampPlace, markVisibleRowsSeen, scrollToStop, visibleRows } from './place.js'
import {
  currentStop,
  documentOf,
  type Effect,
  type Head,
  isSameAt,
  type Message,
  type Size,
  type Staged,
  type State,
  type Target,
} from './state.js'
import { type Step, showMessage, step } from './step.js'
import { onAskKey, onInputKey, onListKey, onPaste } from './typing.js'

/** An event of the review screen. `at` is in milliseconds of a monotonic clock. */
export type Event =
  | { readonly is: 'key'; readonly key: string; readonly at: number }
  | { readonly is: 'resized'; readonly size: Size }
  | { readonly is: 'staged'; readonly staged: Staged; readonly at: number; readonly quiet?: boolean }
  | { readonly is: 'decided'; readonly target: Target; readonly state: ChangeState }
  /** A verdict was not recorded. The cursor returns to its target. */
  | { readonly is: 'refused'; readonly target: Target; readonly at: number }
  | { readonly is: 'approvedAll'; readonly paths: readonly string[] }
  | { readonly is: 'colored'; readonly change: Change; readonly colors: FileColors | undefined }
  | { readonly is: 'progress'; readonly progress: CommitProgress | undefined }
  | { readonly is: 'checking'; readonly running: string | undefined }
  | { readonly is: 'checked'; readonly checks: State['checks'] }
  | { readonly is: 'ticked'; readonly checklist: State['checklist'] }
  | { readonly is: 'draft'; readonly path: string; readonly text: string | undefined }
  | { readonly is: 'head'; readonly head: Head }
  | { readonly is: 'message'; readonly message: Message }

/** After a change under the cursor, keys decide nothing for this long: the person may have been about to press one. */
const FRESH_MS = 600

/** Computes the next state and the effects to run. Never throws. Decides only on changes that were on the screen. */
export function update(state: State, event: Event): Step {
  const next = applyEvent(state, event)
  const marked = markVisibleRowsSeen(next.state)
  const wanted = changesToColor(marked)
  if (wanted.length === 0) return { ...next, state: marked }
  const colors = new Map(marked.colors)
  for (const change of wanted) colors.set(changeKey(change), undefined)
  const effects = wanted.map((change): Effect => ({ do: 'color', change }))
  return { state: { ...marked, colors }, effects: [...next.effects, ...effects] }
}

function applyEvent(state: State, event: Event): Step {
  if (event.is === 'key') return onKey(state, event.key, event.at)
  if (event.is === 'resized') return step(onResize(state, event.size))
  if (event.is === 'staged') return step(onRestage(state, event.staged, event))
  if (event.is === 'decided') return step(withVerdict(state, event.target, event.state))
  if (event.is === 'progress') return step(onProgress(state, event.progress))
  if (event.is === 'refused') return step(onRefused(state, event.target, event.at))
  if (event.is === 'approvedAll') {
    const { bulk: _bulk, ...rest } = state
    return step(event.paths.length === 0 ? rest : { ...state, bulk: event.paths })
  }
  if (event.is === 'checked') return step({ ...state, checks: event.checks })
  if (event.is === 'ticked') return step({ ...state, checklist: event.checklist })
  if (event.is === 'checking') {
    const { checking: _, ...rest } = state
    return step({ ...rest, ...defined({ checking: event.running }) })
  }
  if (event.is === 'head') return step({ ...state, head: event.head })
  if (event.is === 'message') return step({ ...state, message: event.message })
  if (event.is === 'draft') {
    const drafts = new Map(state.drafts)
    if (event.text === undefined) drafts.delete(event.path)
    else drafts.set(event.path, event.text)
    return step({ ...state, drafts })
  }
  return step({ ...state, colors: new Map(state.colors).set(changeKey(event.change), event.colors) })
}

function onKey(state: State, key: string, at: number): Step {
  if (key === 'PasteStart' || key === 'PasteEnd') return step({ ...state, pasting: key === 'PasteStart' })
  if (state.pasting) return step(onPaste(state, key === 'Space' ? ' ' : [...key].length === 1 ? key : ' '))
  const { mode } = state
  if (key === 'Ctrl-C' && (state.busy ?? state.checking) !== undefined) return step(state, { do: 'stop' })
  if (key === 'Ctrl-Z') return step(state, { do: 'suspend' })
  if (key === 'Ctrl-L') return step(state, { do: 'redraw' })
  if (mode.kind === 'write') return onInputKey(state, mode, key)
  if (mode.kind === 'ask') return onAskKey(state, mode, key, at)
  // Once everything is decided, Enter commits.
  const isCommit = key === 'Enter' && state.surface === 'terminal' && isDecided(state.set)
  const action = isCommit ? 'commit' : actionOf(key, state.surface)
  if (mode.kind === 'help' || mode.kind === 'facts') return step(onTextKey(state, mode, action))
  if (mode.kind === 'checklist') return onChecklistKey(state, mode.marked, key, actionOf(key))
  if (mode.kind === 'list') return onListKey(state, mode.at, key === 'Enter' ? 'list' : action)
  return action === undefined ? step(state) : act(state, action, at)
}

/** In the help and the facts, movement keys scroll and every other key closes them. */
function onTextKey(
  state: State,
  { kind, top }: Extract<State['mode'], { readonly kind: 'help' | 'facts' }>,
  action: string | undefined,
): State {
  const by = { down: 1, next: 1, up: -1, previous: -1, pageDown: bodyRows(state), pageUp: -bodyRows(state) }
  const step = Object.entries(by).find(([name]) => name === action)?.[1]
  if (step === undefined) return { ...state, mode: { kind: 'browse' } }
  return { ...state, mode: { kind, top: Math.max(0, top + step) } }
}

/** Returns to the target of the failed verdict. Keys typed ahead decide nothing. */
function onRefused(state: State, { change, hunk }: Target, at: number): State {
  const { stops } = state.document
  const same = stops.findIndex((stop) => stop.change?.path === change.path && (!hunk || stop.hunk?.id === hunk.id))
  const there = same >= 0 ? same : stops.findIndex((stop) => stop.change?.path === change.path)
  return { ...(there < 0 ? state : scrollToStop(state, there)), freshUntil: at + FRESH_MS }
}

function onResize(state: State, size: Size): State {
  const isNarrower = size.columns !== state.size.columns
  // Lines wrap differently now, so partly seen stops count as unseen.
  const seen = isNarrower ? new Map([...state.seen].filter(([, { whole }]) => whole)) : state.seen
  const next = { ...state, size, seen }
  return scrollToStop({ ...next, top: clampPlace(next, { line: state.top.line, row: 0 }) }, state.cursor)
}

/** Replaces the change set. The text under the cursor keeps its row on the screen. */
function onRestage(state: State, staged: Staged, { at, quiet }: { at: number; quiet?: boolean }): State {
  const document = documentOf({ ...state, ...staged })
  const old = currentStop(state)
  const cursor = nearestStop(state, document.stops)
  const stop = document.stops[cursor]
  const isOther = old !== undefined && stop?.key !== old.key
  const isTouched = isOther || (old?.change !== undefined && !isSameAt(old.change.path, state.set, staged.set))
  const keys = new Set(document.stops.map(({ key }) => key))
  const seen = new Map([...state.seen].filter(([key]) => keys.has(key)))
  const changed = changedPaths(state, staged)
  const base = {
    ...state,
    ...staged,
    document,
    cursor,
    seen,
    ...(isTouched && quiet !== true && { freshUntil: at + FRESH_MS }),
  }
  const placed = { ...base, top: clampPlace(base, keepPlace(state, base)) }
  const next = isOther ? scrollToStop(placed, cursor) : placed
  return changed.length === 0 || quiet === true ? next : showMessage(next, describeChangedFiles(changed), 'warn')
}

/** The index of the same stop if it still exists, else of the next one in its file, else of the one at the cursor. */
function nearestStop(state: State, stops: State['document']['stops']): number {
  const old = currentStop(state)
  if (old === undefined) return 0
  const same = stops.findIndex(({ key }) => key === old.key)
  if (same >= 0) return same
  const at = old.hunk?.newStart ?? 0
  const inFile = stops.flatMap((stop, index) => (stop.change?.path === old.change?.path && stop.change ? [index] : []))
  const near = inFile.find((index) => (stops[index]?.hunk?.newStart ?? 0) >= at) ?? inFile.at(-1)
  return near ?? Math.min(state.cursor, Math.max(0, stops.length - 1))
}

/** The scroll position that keeps the cursor's first line on its row. */
function keepPlace(state: State, next: State): State['top'] {
  const first = ({ document: { items } }: State, stop = currentStop(state)) => items[stop?.item ?? 0]?.first ?? 0
  return { line: Math.max(0, state.top.line + first(next, currentStop(next)) - first(state)), row: state.top.row }
}

function changedPaths({ set }: State, { set: now }: Staged): string[] {
  const before = new Map(set.changes.map((change) => [change.path, changeKey(change)]))
  const after = new Map(now.changes.map((change) => [change.path, changeKey(change)]))
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}

function describeChangedFiles(paths: readonly string[]): string {
  const [first = ''] = paths
  return paths.length === 1 ? `${first} has changed.` : `${pluralize(paths.length, 'file')} have changed: ${first}, …`
}

/** Shows a recorded verdict without reading the stage again. */
function withVerdict(state: State, { change, hunk }: Target, verdict: ChangeState): State {
  const key = changeKey(change)
  const changes = state.set.changes.map((each): Change => {
    if (changeKey(each) !== key) return each
    const hunks = each.hunks.map((own) => (hunk === undefined || own.id === hunk.id ? { ...own, state: verdict } : own))
    const states = new Set(hunks.map((own) => own.state))
    const whole = hunk === undefined ? verdict : states.size === 1 ? verdict : 'pending'
    return { ...each, hunks, state: whole }
  })
  const set = { ...state.set, changes }
  const decisions = verdict === 'pending' ? state.decisions : [...state.decisions, { change, ...(hunk && { hunk }) }]
  const { bulk: _bulk, ...rest } = state
  return { ...rest, set, decisions, document: documentOf({ ...state, set }) }
}

function onProgress({ busy, ...state }: State, progress: CommitProgress | undefined): State {
  if (progress === undefined) return state
  const { phase, files, total } = progress
  const labels = { checking: 'checking', staging: 'writing', applying: 'replacing files' }
  const end = phase === 'applying' ? '' : '; Ctrl-C cancels it'
  return { ...state, busy: `commit: ${labels[phase]} ${files} of ${total}${end}` }
}

/** Files on the screen whose colours were not requested yet. */
function changesToColor(state: State): Change[] {
  const found = new Map<string, Change>()
  for (const { item } of visibleRows(state)) {
    if (item.kind !== 'hunk' || item.change === undefined || item.change.after === null) continue
    const key = changeKey(item.change)
    if (!state.colors.has(key)) found.set(key, item.change)
  }
  return [...found.values()]
}
