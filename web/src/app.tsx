import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { WireNews, WireState } from '../../src/web/wire.js'
import { type Connection, get, listen, onConnection } from './api.js'
import { Blame } from './blame.js'
import { Help } from './help.js'
import { Intents } from './intents.js'
import { actionOf, keyOf } from './keys.js'
import { Ledger } from './ledger.js'
import { Review } from './review.js'
import { hrefOf, type Route, useRoute } from './route.js'
import { describeError, Missing } from './shared.js'
import { Stats } from './stats.js'
import { Trust } from './trust.js'

/** Counters of events, by kind. A view reloads when its counter increases. */
export interface Versions {
  readonly state: number
  readonly ledger: number
  readonly sessions: Readonly<Record<string, number>>
  /** Counts events that affect every session. */
  readonly all: number
  /** Counts events that only add classes to the list of changes. Open files stay as they are. */
  readonly classes: number
}

export interface Notifier {
  /** Shows a message below the content, until the view changes. A failure stays until then, or until it is closed. */
  notify(words: string, kind?: 'good' | 'bad', undo?: () => void): void
}

const TABS: readonly { readonly route: Route; readonly name: string }[] = [
  { route: { at: 'review' }, name: 'Review' },
  { route: { at: 'intents' }, name: 'Intents' },
  { route: { at: 'ledger' }, name: 'Ledger' },
  { route: { at: 'blame' }, name: 'Blame' },
  { route: { at: 'stats' }, name: 'Stats' },
]

export function App() {
  const route = useRoute()
  const [connection, setConnection] = useState<Connection>('live')
  const [versions, setVersions] = useState<Versions>({ state: 0, ledger: 0, sessions: {}, all: 0, classes: 0 })
  const [state, setState] = useState<WireState>()
  const [error, setError] = useState<string>()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const { words: toasts, notify, close } = useToasts()

  const onNews = useCallback((news: WireNews) => setVersions((last) => countNews(last, news)), [])
  useEffect(() => {
    onConnection(setConnection)
    return listen(onNews)
  }, [])
  useEffect(() => {
    let stale = false
    const timer = setTimeout(
      () =>
        get<WireState>('state').then(
          (value) => {
            if (stale) return
            setState(value)
            setError(undefined)
          },
          (reason: unknown) => !stale && setError(describeError(reason)),
        ),
      versions.state === 0 ? 0 : 60,
    )
    return () => {
      stale = true
      clearTimeout(timer)
    }
  }, [versions.state])
  // Before the paint: a person may press a key as soon as the page is there.
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (actionOf(event) === 'help') setHelpOpen(true)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])

  const openQuestions = state?.sessions.reduce((sum, { questions }) => sum + questions.length, 0) ?? 0
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment selects the view, so it must not change.
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to the content
      </a>
      <header class="bar">
        <div class="brand">
          <img src="./icon.svg" alt="" width="22" height="22" />
          <h1>escrow</h1>
          {state && (
            <span class="root quiet" title={state.root}>
              {state.root.split('/').at(-1)}
            </span>
          )}
        </div>
        <nav aria-label="Views">
          {TABS.map(({ route: tab, name }) => (
            <a key={tab.at} href={hrefOf(tab)} aria-current={route.at === tab.at ? 'page' : undefined}>
              {name}
              {tab.at === 'review' && openQuestions > 0 && (
                <span class="count" title="open questions">
                  {openQuestions}
                  <span class="unseen"> open questions</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <button type="button" class="plain help-button" aria-label="Keys and help" onClick={() => setHelpOpen(true)}>
          ?
        </button>
      </header>
      <ConnectionNotice
        connection={connection}
        problem={state?.problem}
        error={state === undefined ? error : undefined}
      />
      {state?.trust && <Trust trust={state.trust} notify={notify} accepted={() => onNews(EVERYTHING_CHANGED)} />}
      <main id="main" tabIndex={route.at === 'review' ? -1 : 0} class={`at-${route.at}`}>
        {route.at === 'review' && state && <Review route={route} state={state} versions={versions} notify={notify} />}
        {route.at === 'intents' && state && <Intents intents={state.intents} />}
        {route.at === 'ledger' && <Ledger version={versions.ledger} notify={notify} />}
        {route.at === 'blame' && <Blame path={route.path} version={versions.ledger} />}
        {route.at === 'stats' && <Stats version={versions.ledger} />}
        {route.at === 'missing' && <Missing title={`There is no page ${route.name}.`} />}
        {state === undefined && error === undefined && route.at === 'review' && <p class="loading">Loading…</p>}
      </main>
      <div class="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, kind, undo }) => (
          <div key={id} class={`toast ${kind}`} role={kind === 'bad' ? 'alert' : undefined}>
            <p>{text}</p>
            {undo && (
              <button
                type="button"
                title={`Take this verdict back (${keyOf('undo')})`}
                onClick={() => {
                  close(id)
                  undo()
                }}
              >
                Undo
              </button>
            )}
            {kind === 'bad' && (
              <button type="button" aria-label="Close this message" onClick={() => close(id)}>
                ✕
              </button>
            )}
          </div>
        ))}
      </div>
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
    </>
  )
}

function ConnectionNotice({
  connection,
  problem,
  error,
}: {
  connection: Connection
  problem: string | undefined
  error: string | undefined
}) {
  if (connection === 'expired')
    return (
      <div class="trouble bad" role="alert">
        <b>This address is of an earlier start.</b> Open the one that <code>escrow serve</code> prints now. All verdicts
        are kept.
      </div>
    )
  if (connection === 'lost')
    return (
      <div class="trouble" role="alert">
        The server does not answer. Trying again; what you see may be old.
      </div>
    )
  if (problem !== undefined)
    return (
      <div class="trouble bad" role="alert">
        <b>All writes are refused:</b> {problem}
      </div>
    )
  return error === undefined ? null : (
    <div class="trouble bad" role="alert">
      {error}
    </div>
  )
}

function countNews(last: Versions, news: WireNews): Versions {
  const sessions = { ...last.sessions }
  const all = news.sessions.includes('*') || news.ledger || news.intents || news.policy
  for (const id of news.sessions) sessions[id] = (sessions[id] ?? 0) + 1
  return {
    state: last.state + (all || news.sessions.length > 0 ? 1 : 0),
    ledger: last.ledger + (news.ledger ? 1 : 0),
    sessions,
    all: last.all + (all ? 1 : 0),
    classes: last.classes + (news.classes ? 1 : 0),
  }
}

/** An event that makes the page reload everything. */
const EVERYTHING_CHANGED: WireNews = { sessions: ['*'], ledger: false, intents: true, policy: true, classes: true }

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'good' | 'bad'
  readonly undo: (() => void) | undefined
}

const TOAST_MS = 10_000

function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const next = useRef(0)
  const close = useCallback((id: number) => setToasts((last) => last.filter((each) => each.id !== id)), [])
  const notify = useCallback((text: string, kind: 'good' | 'bad' = 'good', undo?: () => void) => {
    const id = next.current++
    // A failure replaces every earlier message, and a result replaces the last result.
    setToasts((last) => [
      ...(kind === 'bad' ? [] : last.filter((each) => each.kind === 'bad')),
      { id, text, kind, undo },
    ])
    if (kind === 'good') setTimeout(() => close(id), TOAST_MS)
  }, [])
  // A message is about the view where it appeared.
  useLayoutEffect(() => {
    const clear = () => setToasts([])
    addEventListener('hashchange', clear)
    return () => removeEventListener('hashchange', clear)
  }, [])
  return { words: toasts, notify, close }
}
