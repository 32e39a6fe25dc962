import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { WireNews, WireState } from '../../src/web/wire.js'
import { type Connection, get, listen, onConnection } from './api.js'
import { Blame } from './blame.js'
import { Help } from './help.js'
import { Intents } from './intents.js'
import { actionOf, keyOf } from './keys.js'
import { Ledger } from './ledger.js'
import { Review } from './review.js'
import { addressOf, type Place, usePlace } from './route.js'
import { wordsOf } from './shared.js'
import { Stats } from './stats.js'
import { Trust } from './trust.js'

/** Rises with each piece of news of its kind: what depends on it is looked at again. */
export interface Versions {
  readonly state: number
  readonly ledger: number
  readonly sessions: Readonly<Record<string, number>>
  /** Of every session. */
  readonly all: number
}

export interface Told {
  /** Says something to the person, below the content. What failed stays until it is closed. */
  say(words: string, kind?: 'good' | 'bad', undo?: () => void): void
}

const TABS: readonly { readonly place: Place; readonly name: string }[] = [
  { place: { at: 'review' }, name: 'Review' },
  { place: { at: 'intents' }, name: 'Intents' },
  { place: { at: 'ledger' }, name: 'Ledger' },
  { place: { at: 'blame' }, name: 'Blame' },
  { place: { at: 'stats' }, name: 'Stats' },
]

export function App() {
  const place = usePlace()
  const [connection, setConnection] = useState<Connection>('live')
  const [versions, setVersions] = useState<Versions>({ state: 0, ledger: 0, sessions: {}, all: 0 })
  const [state, setState] = useState<WireState>()
  const [error, setError] = useState<string>()
  const [helps, setHelps] = useState(false)
  const { words, say, close } = useWords()

  const moved = useCallback((news: WireNews) => setVersions((last) => risen(last, news)), [])
  useEffect(() => {
    onConnection(setConnection)
    return listen(moved)
  }, [])
  useEffect(() => {
    let stale = false
    const later = setTimeout(
      () =>
        get<WireState>('state').then(
          (value) => {
            if (stale) return
            setState(value)
            setError(undefined)
          },
          (reason: unknown) => !stale && setError(wordsOf(reason)),
        ),
      versions.state === 0 ? 0 : 60,
    )
    return () => {
      stale = true
      clearTimeout(later)
    }
  }, [versions.state])
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (actionOf(event) === 'help') setHelps(true)
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])

  const waiting = state?.sessions.reduce((sum, { questions }) => sum + questions.length, 0) ?? 0
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The address behind the # is the view.
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
          {TABS.map(({ place: tab, name }) => (
            <a key={tab.at} href={addressOf(tab)} aria-current={place.at === tab.at ? 'page' : undefined}>
              {name}
              {tab.at === 'review' && waiting > 0 && (
                <span class="count" title="open questions">
                  {waiting}
                  <span class="unseen"> open questions</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <button type="button" class="plain help-button" aria-label="Keys and help" onClick={() => setHelps(true)}>
          ?
        </button>
      </header>
      <Trouble connection={connection} problem={state?.problem} error={state === undefined ? error : undefined} />
      {state?.trust && <Trust trust={state.trust} say={say} accepted={() => moved(NOTHING_KNOWN)} />}
      <main id="main" tabIndex={place.at === 'review' ? -1 : 0} class={`at-${place.at}`}>
        {place.at === 'review' && state && <Review place={place} state={state} versions={versions} say={say} />}
        {place.at === 'intents' && state && <Intents intents={state.intents} />}
        {place.at === 'ledger' && <Ledger version={versions.ledger} say={say} />}
        {place.at === 'blame' && <Blame path={place.path} version={versions.ledger} />}
        {place.at === 'stats' && <Stats version={versions.ledger} />}
        {state === undefined && error === undefined && place.at === 'review' && <p class="loading">Loading…</p>}
      </main>
      <div class="toasts" role="status" aria-live="polite">
        {words.map(({ id, text, kind, undo }) => (
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
      {helps && <Help close={() => setHelps(false)} />}
    </>
  )
}

function Trouble({
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

function risen(last: Versions, news: WireNews): Versions {
  const sessions = { ...last.sessions }
  const all = news.sessions.includes('*') || news.ledger || news.intents || news.policy
  for (const id of news.sessions) sessions[id] = (sessions[id] ?? 0) + 1
  return {
    state: last.state + 1,
    ledger: last.ledger + (news.ledger ? 1 : 0),
    sessions,
    all: last.all + (all ? 1 : 0),
  }
}

/** News that makes the page look at everything again. */
const NOTHING_KNOWN: WireNews = { sessions: ['*'], ledger: false, intents: true, policy: true }

interface Words {
  readonly id: number
  readonly text: string
  readonly kind: 'good' | 'bad'
  readonly undo: (() => void) | undefined
}

const WORDS_MS = 10_000

function useWords() {
  const [words, setWords] = useState<readonly Words[]>([])
  const next = useRef(0)
  const close = useCallback((id: number) => setWords((last) => last.filter((each) => each.id !== id)), [])
  const say = useCallback((text: string, kind: 'good' | 'bad' = 'good', undo?: () => void) => {
    const id = next.current++
    // Of two results the newer counts; each failure stays until it was read.
    setWords((last) => [...last.filter((each) => each.kind === 'bad' && each.text !== text), { id, text, kind, undo }])
    if (kind === 'good') setTimeout(() => close(id), WORDS_MS)
  }, [])
  return { words, say, close }
}
