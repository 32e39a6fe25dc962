import { exitCodeOf } from '../run-until-signal.js'
import { type ListEvent, type ListState, updateList, viewList } from './list.js'
import type { ReviewSource } from './source.js'
import { type Effect, initialState, type Size, type State } from './state.js'
import { type Listener, openTerminal, type Terminal } from './terminal.js'
import { type Event, update } from './update.js'
import { view } from './view.js'

export interface ReviewOptions {
  readonly session?: string
  readonly color: boolean
  editText(text: string, name: string): Promise<string>
}

/** The exit code of a terminal review, and the text to print after it. */
export interface ReviewResult {
  readonly code: number
  readonly summary: string
}

/** The view that receives keys: the session list or a review. */
interface Screen {
  key(name: string): void
  onResize(size: Size): void
  leave(): void
}

/** Runs the review on the full screen until the person leaves. Rejects for an unknown session before it takes the terminal. */
export async function reviewInTerminal(source: ReviewSource, options: ReviewOptions): Promise<ReviewResult> {
  const current: { screen?: Screen; code?: number } = {}
  const listener: Listener = {
    key: (name) => current.screen?.key(name),
    onResize: (size) => current.screen?.onResize(size),
    onSignal: (signal) => {
      current.code = exitCodeOf(signal)
      current.screen?.leave()
    },
  }
  // Reject for an unknown session while the normal screen is still visible.
  if (options.session !== undefined) await source.assertKnown(options.session)
  const terminal = openTerminal(listener, options.color)
  const setScreen = (screen: Screen | undefined) => {
    if (screen === undefined) delete current.screen
    else current.screen = screen
  }
  const isOver = () => current.code !== undefined
  try {
    const loop = { source, options, terminal, setScreen, isOver }
    const summary = options.session === undefined ? await reviewFromList(loop) : await reviewOne(loop, options.session)
    return { code: current.code ?? 0, summary }
  } finally {
    terminal.close()
  }
}

interface ReviewLoop {
  readonly source: ReviewSource
  readonly options: ReviewOptions
  readonly terminal: Terminal
  setScreen(screen: Screen | undefined): void
  isOver(): boolean
}

async function reviewFromList(loop: ReviewLoop): Promise<string> {
  const summaries: string[] = []
  while (!loop.isOver()) {
    const session = await chooseSession(loop)
    if (session === undefined || loop.isOver()) break
    summaries.push(await reviewOne(loop, session))
  }
  return summaries.join('')
}

/** Resolves with the chosen session, or undefined when the person leaves. */
async function chooseSession({ source, terminal, setScreen }: ReviewLoop): Promise<string | undefined> {
  const sessions = await source.sessions()
  return new Promise((resolve) => {
    let state: ListState = { sessions, cursor: 0, size: terminal.size(), charset: terminal.charset }
    const end = (session?: string) => {
      unwatch()
      setScreen(undefined)
      resolve(session)
    }
    const dispatch = (event: ListEvent) => {
      const { state: next, effect } = updateList(state, event)
      state = next
      if (effect?.do === 'open') return end(effect.session)
      if (effect?.do === 'quit') return end()
      if (effect?.do === 'redraw') terminal.invalidate()
      if (effect?.do === 'suspend') void terminal.suspend()
      terminal.draw(viewList(state))
    }
    const unwatch = source.watchSessions(() => {
      source.sessions().then(
        (now) => dispatch({ is: 'sessions', sessions: now }),
        (error: unknown) => dispatch({ is: 'message', text: String(error) }),
      )
    })
    setScreen({
      key: (key) => dispatch({ is: 'key', key }),
      onResize: (size) => dispatch({ is: 'resized', size }),
      leave: () => end(),
    })
    terminal.draw(viewList(state))
  })
}

/** Reviews a session until the person leaves. Resolves with a one-line summary. */
async function reviewOne(loop: ReviewLoop, session: string): Promise<string> {
  const { source, options, terminal, setScreen } = loop
  let state: State | undefined
  let isScheduled = false
  let hasLeft = false
  const draw = () => {
    isScheduled = false
    // A scheduled draw must not cover the screen that follows the review.
    if (state !== undefined && !hasLeft) terminal.draw(view(state))
  }
  const dispatch = (event: Event) => {
    if (state === undefined) return
    const step = update(state, event)
    state = step.state
    for (const effect of step.effects) perform(effect)
    // Draw before the next key is read: a key must act on what the person sees.
    if (event.is === 'key' || event.is === 'staged' || event.is === 'resized') draw()
    else if (!isScheduled) {
      isScheduled = true
      setImmediate(draw)
    }
  }
  const review = await source.open(session, {
    dispatch,
    editText: (text, name) => terminal.runOutside(() => options.editText(text, name)),
  })
  const { runner, lastLook } = review
  let leave: () => void = () => undefined
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  const perform = (effect: Effect) => {
    if (effect.do === 'quit') leave()
    else if (effect.do === 'redraw') terminal.invalidate()
    else if (effect.do === 'suspend') void terminal.suspend()
    else if (effect.do === 'stop') runner.stop()
    else if (effect.do === 'color') setTimeout(() => runner.run(effect), COLOR_DELAY_MS)
    else runner.run(effect)
  }
  const { surface } = source
  state = initialState(await runner.open(), terminal.size(), terminal.charset, { lastLook, surface })
  dispatch({ is: 'resized', size: terminal.size() })
  const unwatch = review.watch()
  setScreen({
    key: (key) => dispatch({ is: 'key', key, at: performance.now() }),
    onResize: (size) => dispatch({ is: 'resized', size }),
    leave,
  })
  await left
  hasLeft = true
  setScreen(undefined)
  unwatch()
  runner.stop()
  runner.close()
  await runner.idle()
  return review.leave(state)
}

/** Delay of colouring, so that the first screen appears without it. */
const COLOR_DELAY_MS = 30
