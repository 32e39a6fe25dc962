import { defined } from '../../core/defined.js'
import type { Reviewer, SessionSummary, Workspace } from '../../index.js'
import { readLastLook, readSessionWork, stateOfSession, writeLastLook } from '../../surface/index.js'
import { deliveryOf } from '../delivery.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { countStates } from './document.js'
import { createDesk } from './effect-runner.js'
import { type ListEvent, type ListState, updateList, viewList, type Waiting, waitingOf } from './list.js'
import { type Effect, type Head, initialState, type Size, type State } from './state.js'
import { type Listener, openTerminal, type Terminal } from './terminal.js'
import { type Event, update } from './update.js'
import { view } from './view.js'

export interface ReviewOptions {
  readonly session?: string
  readonly by?: Reviewer
  readonly color: boolean
  editText(text: string, name: string): Promise<string>
}

/** How a review in the terminal ended, and what is to be said on the screen that was there before. */
export interface Ending {
  readonly code: number
  readonly words: string
}

/** What has the screen now. */
interface Screen {
  key(name: string): void
  onResize(size: Size): void
  leave(): void
}

const CODES = { SIGHUP: 129, SIGTERM: 143 } as const

/** Takes the terminal over until the person leaves. */
export async function reviewInTerminal(workspace: Workspace, options: ReviewOptions): Promise<Ending> {
  const stage: { scene?: Screen; code?: number } = {}
  const listener: Listener = {
    key: (name) => stage.scene?.key(name),
    onResize: (size) => stage.scene?.onResize(size),
    onSignal: (signal) => {
      stage.code = CODES[signal]
      stage.scene?.leave()
    },
  }
  // What can be refused is refused on the screen that is there.
  if (options.session !== undefined) await workspace.review(options.session)
  const terminal = openTerminal(listener, options.color)
  const on = (scene: Screen | undefined) => {
    if (scene === undefined) delete stage.scene
    else stage.scene = scene
  }
  const isOver = () => stage.code !== undefined
  try {
    const play = { workspace, options, terminal, on, isOver }
    const words = options.session === undefined ? await fromList(play) : await reviewOne(play, options.session)
    return { code: stage.code ?? 0, words }
  } finally {
    terminal.close()
  }
}

interface ReviewLoop {
  readonly workspace: Workspace
  readonly options: ReviewOptions
  readonly terminal: Terminal
  on(scene: Screen | undefined): void
  isOver(): boolean
}

async function fromList(play: ReviewLoop): Promise<string> {
  const said: string[] = []
  while (!play.isOver()) {
    const session = await chooseOne(play)
    if (session === undefined || play.isOver()) break
    said.push(await reviewOne(play, session))
  }
  return said.join('')
}

/** Resolves to the session a person opens; undefined when they leave. */
async function chooseOne({ workspace, terminal, on }: ReviewLoop): Promise<string | undefined> {
  const sessions = await waitingIn(workspace)
  return new Promise((resolve) => {
    let state: ListState = { sessions, cursor: 0, size: terminal.size(), charset: terminal.charset }
    const end = (session?: string) => {
      unwatch()
      on(undefined)
      resolve(session)
    }
    const dispatch = (event: ListEvent) => {
      const { state: next, effect } = updateList(state, event)
      state = next
      if (effect?.do === 'open') return end(effect.session)
      if (effect?.do === 'quit') return end()
      if (effect?.do === 'redraw') terminal.forget()
      if (effect?.do === 'suspend') void terminal.suspend()
      terminal.draw(viewList(state))
    }
    const unwatch = workspace.watch(() => {
      waitingIn(workspace).then(
        (now) => dispatch({ is: 'sessions', sessions: now }),
        (error: unknown) => dispatch({ is: 'told', text: String(error) }),
      )
    })
    on({
      key: (key) => dispatch({ is: 'key', key }),
      onResize: (size) => dispatch({ is: 'resized', size }),
      leave: () => end(),
    })
    terminal.draw(viewList(state))
  })
}

async function waitingIn(workspace: Workspace): Promise<Waiting[]> {
  const found: Waiting[] = []
  for (const session of await workspace.sessions())
    found.push({ ...session, questions: await questionsOf(workspace, session) })
  return waitingOf(found)
}

async function questionsOf(workspace: Workspace, { id, damaged }: SessionSummary): Promise<number> {
  return damaged === undefined ? (await (await workspace.review(id)).questions()).length : 0
}

/** Reviews a session until the person leaves it; what came of it in a line. */
async function reviewOne(play: ReviewLoop, session: string): Promise<string> {
  const { workspace, options, terminal, on } = play
  let state: State | undefined
  let isScheduled = false
  let isLeft = false
  const draw = () => {
    isScheduled = false
    // What was to be drawn when the person left would cover what they went to.
    if (state !== undefined && !isLeft) terminal.draw(view(state))
  }
  const dispatch = (event: Event) => {
    if (state === undefined) return
    const step = update(state, event)
    state = step.state
    for (const effect of step.effects) perform(effect)
    // What the person is shown and what a key is held against are one: it is drawn before the next key is read.
    if (event.is === 'key' || event.is === 'staged' || event.is === 'resized') draw()
    else if (!isScheduled) {
      isScheduled = true
      setImmediate(draw)
    }
  }
  const desk = createDesk({
    review: await workspace.review(session),
    ...(options.by && { by: options.by }),
    head: () => headOf(workspace, session),
    work: () => readSessionWork(workspace.root, session),
    delivery: () => deliveryOf(stateOfSession(workspace.root, session)),
    dispatch,
    editText: (text, name) => terminal.lend(() => options.editText(text, name)),
    now: () => performance.now(),
  })
  let leave: () => void = () => undefined
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const perform = (effect: Effect) => {
    if (effect.do === 'quit') leave()
    else if (effect.do === 'redraw') terminal.forget()
    else if (effect.do === 'suspend') void terminal.suspend()
    else if (effect.do === 'stop') desk.stop()
    else if (effect.do === 'color') setTimeout(() => desk.carryOut(effect), COLOR_MS)
    else desk.carryOut(effect)
  }
  const place = { root: workspace.root, session, reviewer: options.by?.name ?? 'git' }
  state = initialState(await desk.open(), terminal.size(), terminal.charset, readLastLook(place))
  dispatch({ is: 'resized', size: terminal.size() })
  const unwatch = workspace.watch(({ sessions, policy, intents }) => {
    if (policy || intents || sessions.includes(session)) desk.onStageChange()
  })
  on({
    key: (key) => dispatch({ is: 'key', key, at: performance.now() }),
    onResize: (size) => dispatch({ is: 'resized', size }),
    leave,
  })
  await left
  isLeft = true
  on(undefined)
  unwatch()
  desk.stop()
  desk.close()
  await desk.idle()
  writeLastLook(place, state.set.changes)
  return summaryOf(state)
}

/** The first screen comes before its colours do. */
const COLOR_MS = 30

async function headOf(workspace: Workspace, session: string): Promise<Head> {
  const own = (await workspace.sessions()).find(({ id }) => id === session)
  const by = own?.agent?.model ?? own?.agent?.tool
  return { session, live: own?.live === true, ...defined({ by }) }
}

function summaryOf({ set, head }: State): string {
  const { pending, approved, rejected } = countStates(set)
  if (set.changes.length === 0) return `Nothing is staged in session '${oneLine(head.session)}'.\n`
  const next = approved > 0 ? ` Not on disk yet. Write it with 'escrow commit ${oneLine(head.session)}'.` : ''
  const counts = `${pluralize(set.changes.length, 'change')}: ${approved} approved, ${rejected} rejected, ${pending} pending`
  return `Session '${oneLine(head.session)}', ${counts}.${next}\n`
}
