import { defined } from '../../core/defined.js'
import type { Answer, Question } from '../../index.js'
import { foldReason } from '../../surface/index.js'
import { pluralize } from '../output.js'
import { openChecklist } from './checklist.js'
import { commitQuestion, mergeQuestion } from './commit-question.js'
import { foldNote, type Stop } from './document.js'
import { cursorFileIndex, describeFiles } from './files.js'
import type { Action } from './keys.js'
import { bodyRows, clampPlace, followScroll, isTooSmall, movePlace, scrollToStop, visibleRows } from './place.js'
import { type AskMode, currentStop, documentOf, type Effect, type State, type Target, targetOf } from './state.js'
import { type Step, showMessage, step } from './step.js'

type ActionHandler = (state: State, at: number) => Step

/** The handler of each key in browse mode. */
const ACTIONS: Readonly<Record<Action, ActionHandler>> = {
  approve: decide((state, stop) => {
    if (stop.question) return answerStop(state, stop.question, 'allow')
    return approveStop(state, stop)
  }),
  reject: decide((state, stop) => {
    if (stop.question) return openInput(state, 'Deny; tell the agent why', { do: 'deny', question: stop.question })
    const target = targetOf(stop)
    return target ? openInput(state, 'Reject; tell the agent why', { do: 'reject', target }) : step(state)
  }),
  approveFile: decide(approveFile),
  rejectFile: decide((state, { change }) => {
    if (change === undefined) return step(state)
    return openInput(state, `Reject ${change.path}; tell the agent why`, { do: 'reject', target: { change } })
  }),
  approveAll: decide((state) => {
    const pending = state.set.changes.filter((change) => change.state === 'pending')
    if (pending.length === 0) return notice(state, 'Everything is decided.')
    const approvable = pending.filter(({ flags }) => !flags.includes('drifted') && !flags.includes('conflict'))
    if (approvable.length === 0)
      return notice(state, 'Nothing to approve: every pending file has a conflict or changed on disk.')
    const text = `Approve all but what is rejected, in conflict or changed on disk: ${describeFiles(approvable)}?`
    return openQuestion(state, text, { y: { do: 'approveAll', shown: state.set } })
  }),
  undo: undoVerdict,
  split: decide((state, stop) => {
    const target = targetOf(stop)
    if (target?.hunk === undefined) return step(showMessage(state, 'This change has no hunks to split.', 'warn'))
    return step(state, { do: 'split', target, shown: state.set })
  }),
  edit: decide((state, { change }) => {
    if (change === undefined) return step(state)
    if (change.after === null)
      return step(showMessage(state, 'The file is deleted, so there is nothing to edit.', 'warn'))
    const draft = state.drafts.get(change.path)
    return step(state, { do: 'edit', target: { change }, shown: state.set, ...defined({ draft }) })
  }),
  discard: decide((state, stop) => {
    const target = targetOf(stop)
    if (target === undefined) return step(state)
    const file: Effect = { do: 'discard', target: { change: target.change }, shown: state.set }
    const text = `Discard ${target.change.path} for good?`
    if (target.hunk === undefined) return openQuestion(state, text, { y: file })
    const hunk: Effect = { do: 'discard', target, shown: state.set }
    return openQuestion(state, 'Discard this for good? y: this hunk, f: the whole file', {
      y: hunk,
      f: file,
    })
  }),
  commit: decide((state) => {
    const text = commitQuestion(state)
    const commit = (merge: boolean): Effect => ({ do: 'commit', merge, shown: state.set })
    const drifted = mergeQuestion(state)
    if (text === undefined)
      return drifted === undefined
        ? notice(state, 'Nothing is approved, so there is nothing to commit. y approves a hunk.')
        : openQuestion(state, drifted, { m: commit(true) })
    return openQuestion(state, text, { y: commit(false), m: commit(true) })
  }),
  check: (state) => step(state, { do: 'check' }),
  checklist: openChecklist,
  once: onQuestion((question) => (question.kind === 'scope' ? undefined : { answer: 'once' })),
  subtree: onQuestion((question) => (question.kind === 'access' ? { answer: 'subtree' } : undefined)),
  remember: onQuestion((question) => (question.kind === 'scope' ? undefined : { answer: 'allow', remember: true })),
  next: (state) => step(toStop(state, state.cursor + 1)),
  previous: (state) => step(toStop(state, state.cursor - 1)),
  nextFile: (state) => step(toFile(state, 1)),
  previousFile: (state) => step(toFile(state, -1)),
  down: (state) => step(scroll(state, 1)),
  up: (state) => step(scroll(state, -1)),
  pageDown: (state) => step(scroll(state, page(state))),
  pageUp: (state) => step(scroll(state, -page(state))),
  first: (state) => step(toStop({ ...state, top: { line: 0, row: 0 } }, 0)),
  last: (state) => step(toStop(state, state.document.stops.length - 1)),
  search: (state) => openInput(state, 'Search', { do: 'search' }),
  fold,
  view: (state) => {
    const order = NEXT_ORDER[state.order]
    const next = showMessage(rearrange(state, { order }), `Ordered by ${order}.`)
    return order === 'risk' ? step(next, { do: 'rank' }) : step(next)
  },
  list: (state) => step({ ...state, mode: { kind: 'list', at: cursorFileIndex(state) } }),
  help: (state) => step({ ...state, mode: { kind: 'help', top: 0 } }),
  facts: (state) => step({ ...state, mode: { kind: 'facts', top: 0 } }),
  redraw: (state) => step(state, { do: 'redraw' }),
  suspend: (state) => step(state, { do: 'suspend' }),
  quit: (state) => step(state, { do: 'quit' }),
}

export function act(state: State, action: Action, at: number): Step {
  const { message, ...rest } = state
  return ACTIONS[action](rest, at)
}

/** Guards a decision: refused during a commit, on a screen that is too small, and right after a change under the cursor. */
function decide(work: (state: State, stop: Stop) => Step): ActionHandler {
  return (state, at) => {
    const stop = currentStop(state)
    if (state.busy !== undefined) return step(showMessage(state, `Not now: ${state.busy}`, 'warn'))
    if (isTooSmall(state))
      return step(showMessage(state, 'The terminal is too small for a decision. Make the window larger.', 'warn'))
    if (stop === undefined) return step(showMessage(state, 'There is nothing to decide here.'))
    if (at < state.freshUntil)
      return step(showMessage(state, 'This changed just now. Look at it again, then decide.', 'warn'))
    return work(state, stop)
  }
}

function onQuestion(answer: (question: Question) => Answer | undefined): ActionHandler {
  return decide((state, { question }) => {
    if (question === undefined)
      return step(showMessage(state, 'That key answers a question, and this is not one.', 'warn'))
    const reply = answer(question)
    if (reply === undefined) return step(showMessage(state, 'This question does not have that answer.', 'warn'))
    return step(toUndecided(state), { do: 'answer', question, answer: reply })
  })
}

function answerStop(state: State, question: Question, answer: 'allow'): Step {
  if (!isFullySeen(state)) return showUnseen(state)
  return step(toUndecided(state), { do: 'answer', question, answer: { answer } })
}

function approveStop(state: State, stop: Stop): Step {
  if (!isFullySeen(state)) return showUnseen(state)
  if (stop.folded === true) return approveFile(state, stop)
  const target = targetOf(stop)
  return target ? step(toUndecided(state), { do: 'approve', target, shown: state.set }) : step(state)
}

function isFullySeen(state: State): boolean {
  const stop = currentStop(state)
  return stop !== undefined && state.seen.get(stop.key)?.whole === true
}

/** Scrolls to the part of the stop that was not on the screen yet. */
function showUnseen(state: State): Step {
  const stop = currentStop(state)
  const rows = visibleRows(state).filter(({ item }) => item.stop === state.cursor)
  const seen = stop && state.seen.get(stop.key)
  const isThere = rows.length > 0 && seen?.from === 0
  const next = isThere
    ? { ...state, top: clampPlace(state, movePlace(state, state.top, page(state))) }
    : scrollToStop(state, state.cursor)
  return step(showMessage(next, 'There is more to see. y approves it once you have scrolled to its end.', 'warn'))
}

function approveFile(state: State, { change, folded }: Stop): Step {
  if (change === undefined) return step(state)
  const effect: Effect = { do: 'approve', target: { change }, shown: state.set }
  if (folded === true) return openQuestion(state, `Approve ${change.path} unread (${foldNote(change)})?`, { y: effect })
  const stops = state.document.stops.filter((stop) => stop.change === change)
  const unseen = stops.filter(({ key }) => state.seen.get(key)?.whole !== true).length
  if (unseen === 0) return step(toUndecided(state, change), effect)
  const text = `You have not scrolled ${pluralize(unseen, 'hunk')} of ${change.path} to the end. Approve all of it?`
  return openQuestion(state, text, { y: effect })
}

/** Undoes a bulk approval, else the verdict under the cursor, else the latest one of this review that still applies. */
function undoVerdict(state: State, at: number): Step {
  const { bulk } = state
  if (bulk !== undefined) {
    const text = `Take back the approval of ${pluralize(bulk.length, 'file')}? y: all of them, h: only what the cursor is at`
    const here = targetOf(currentStop(state) ?? { key: '', item: 0 })
    const only: Record<string, Effect> = here ? { h: { do: 'withdraw', target: here, shown: state.set } } : {}
    return decide(() => openQuestion(state, text, { y: { do: 'withdrawAll', paths: bulk }, ...only }))(state, at)
  }
  const stop = currentStop(state)
  const here = stop && targetOf(stop)
  if (here && (here.hunk ?? here.change).state !== 'pending') {
    return decide(() => step(state, { do: 'withdraw', target: here, shown: state.set }))(state, at)
  }
  const last = state.decisions.findLast((target) => stopsOf(state, target).length > 0)
  if (last === undefined) return step(showMessage(state, 'There is no verdict here to undo.'))
  const decisions = state.decisions.slice(0, state.decisions.lastIndexOf(last))
  const [first] = stopsOf(state, last)
  return step(scrollToStop({ ...state, decisions }, first ?? state.cursor), {
    do: 'withdraw',
    target: last,
    shown: state.set,
  })
}

/** Unfolds a file's hunks, or folds them again. */
const NEXT_ORDER = { step: 'file', file: 'risk', risk: 'step' } as const

function fold(state: State): Step {
  const stop = currentStop(state)
  const path = stop?.change?.path
  if (stop?.change === undefined || path === undefined || foldReason(stop.change) === undefined)
    return step(
      showMessage(
        state,
        'Only lockfiles, generated files, proven refactorings and pure formatting are folded.',
        'warn',
      ),
    )
  const opened = new Set(state.opened)
  if (!opened.delete(path)) opened.add(path)
  return step(rearrange(state, { opened }))
}

/** Lays out the document again and keeps the cursor on the same change. */
function rearrange(state: State, more: Partial<Pick<State, 'order' | 'opened'>>): State {
  const next = { ...state, ...more }
  const document = documentOf(next)
  const old = currentStop(state)
  const same = document.stops.findIndex(({ key }) => key === old?.key)
  const near = same >= 0 ? same : document.stops.findIndex(({ change }) => change?.path === old?.change?.path)
  return scrollToStop({ ...next, document, top: { line: 0, row: 0 } }, Math.max(0, near))
}

/** The indexes of the stops that a target covers. */
function stopsOf({ document: { stops } }: State, { change, hunk }: Target): number[] {
  return stops.flatMap((stop, at) => {
    if (stop.change?.path !== change.path) return []
    return hunk === undefined || stop.hunk?.id === hunk.id ? [at] : []
  })
}

/** Shows a notice in place of a question. The next key closes it and decides nothing: it was meant for the question. */
function notice(state: State, text: string): Step {
  return openQuestion(state, text, {})
}

function openQuestion(state: State, text: string, choices: AskMode['choices']): Step {
  return step({ ...state, mode: { kind: 'ask', text, choices } })
}

function openInput(state: State, label: string, then: Extract<State['mode'], { kind: 'write' }>['then']): Step {
  return step({ ...state, mode: { kind: 'write', label, text: '', then } })
}

function page(state: State): number {
  return Math.max(1, bodyRows(state) - 2)
}

function scroll(state: State, by: number): State {
  const next = { ...state, top: clampPlace(state, movePlace(state, state.top, by)) }
  return followScroll(next, by > 0 ? 1 : -1)
}

export function toStop(state: State, cursor: number): State {
  const last = state.document.stops.length - 1
  return last < 0 ? state : scrollToStop(state, Math.min(Math.max(0, cursor), last))
}

function toFile(state: State, by: 1 | -1): State {
  const { stops } = state.document
  const path = stops[state.cursor]?.change?.path
  let at = state.cursor
  while (stops[at + by] !== undefined && stops[at]?.change?.path === path) at += by
  // Going back reaches the file's last hunk. Continue to its first.
  while (by < 0 && at > 0 && stops[at - 1]?.change !== undefined && stops[at - 1]?.change === stops[at]?.change) at--
  return toStop(state, at)
}

/** Moves to the next undecided stop: after the cursor, else before it. */
export function toUndecided(state: State, except?: Stop['change']): State {
  const { stops } = state.document
  const isOpen = ({ question, change, hunk }: Stop) =>
    question !== undefined || (change !== except && (hunk ?? change)?.state === 'pending')
  const after = stops.findIndex((stop, at) => at > state.cursor && isOpen(stop))
  const at = after >= 0 ? after : stops.findIndex((stop, index) => index !== state.cursor && isOpen(stop))
  return at < 0 ? state : toStop(state, at)
}
