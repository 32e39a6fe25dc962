import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type {
  WireChange,
  WireChanges,
  WireDecided,
  WireLeft,
  WireSelection,
  WireState,
  WireVerdict,
  WireWord,
} from '../../src/web/wire.js'
import { get, post, Refused } from './api.js'
import { isTyping, type Told, type Versions } from './app.js'
import { CommitBar } from './commit-bar.js'
import { FileList } from './file-list.js'
import { type FileKeys, FileView } from './file-view.js'
import { Questions } from './questions.js'
import { Reject } from './reject.js'
import { goTo, type Place } from './route.js'
import { SessionPicker } from './sessions.js'
import { Empty, pluralize, wordsOf } from './shared.js'

interface Props extends Told {
  readonly place: Extract<Place, { at: 'review' }>
  readonly state: WireState
  readonly versions: Versions
}

/** What is to be rejected, until the person has said why. */
export interface Rejecting {
  readonly what: string
  readonly selection: WireSelection
}

export function Review({ place, state, versions, say }: Props) {
  const first = state.sessions.find(({ changes, questions }) => changes + questions.length > 0) ?? state.sessions[0]
  const session =
    state.sessions.find(({ id }) => id === place.session) ?? (place.session === undefined ? first : undefined)
  const { shown, error, renew, put } = useChanges(session?.id, versions)
  /** The last decision came by the keys: they go on to what is next. */
  const byKey = useRef(false)
  const [rejecting, setRejecting] = useState<Rejecting>()
  const [left, setLeft] = useState<readonly WireLeft[]>([])
  const keys = useRef<FileKeys>(null)
  const files = useMemo(() => shown?.groups.flatMap(({ changes }) => changes) ?? [], [shown])
  const at = files.findIndex(({ path }) => path === place.path)
  const change =
    files[at] ?? (place.path === undefined && matchMedia('(min-width: 48rem)').matches ? files[0] : undefined)
  const id = session?.id

  const open = useCallback(
    (next: WireChange | undefined) => id !== undefined && next && goTo({ at: 'review', session: id, path: next.path }),
    [id],
  )
  const step = (by: number) => {
    const next = files[Math.max(0, Math.min(files.length - 1, (change ? files.indexOf(change) : -1) + by))]
    if (next !== change) open(next)
  }
  const decide = async (verdict: WireWord, selection: WireSelection, reason?: string) => {
    try {
      const { paths, hunks, left } = await post<WireDecided>(`sessions/${encodeURIComponent(id ?? '')}/verdicts`, {
        verdict,
        selection,
        ...(reason !== undefined && { reason }),
      })
      const amount = hunks > 0 ? pluralize(hunks, 'hunk') : pluralize(paths.length, 'change')
      say(paths.length === 0 ? 'Nothing was left to decide on.' : `${amount} ${verdict}.`)
      setLeft(left)
      if (selection.changes !== undefined) put(paths, verdict === 'withdrawn' ? 'pending' : verdict)
      if (byKey.current && verdict !== 'withdrawn' && keys.current?.next() === false) step(1)
    } catch (failed) {
      say(wordsOf(failed), 'bad')
      if (!(failed instanceof Refused)) throw failed
    }
    byKey.current = false
    renew()
  }

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const acts: Record<string, () => void> = {
        j: () => keys.current?.move(1) || step(1),
        k: () => keys.current?.move(-1) || step(-1),
        J: () => step(1),
        K: () => step(-1),
        y: () => keys.current?.decide('approved', false),
        n: () => keys.current?.decide('rejected', false),
        Y: () => keys.current?.decide('approved', true),
        N: () => keys.current?.decide('rejected', true),
        u: () => keys.current?.decide('withdrawn', false),
        d: () => keys.current?.divide(),
        e: () => keys.current?.edit(),
        s: () => keys.current?.layout(),
        a: () => shown && void decide('approved', { all: shown.digest }),
        c: () => document.getElementById('commit')?.click(),
      }
      const act = acts[event.key]
      if (act === undefined) return
      event.preventDefault()
      byKey.current = /^[yn]$/i.test(event.key)
      act()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  })

  if (state.sessions.length === 0)
    return (
      <Empty title="No agent has worked here yet.">
        <p>
          Start one with <code>escrow run</code>, or connect a client with <code>escrow mcp</code>. What it writes waits
          here for you.
        </p>
      </Empty>
    )
  return (
    <div class={place.path === undefined ? 'review on-list' : 'review on-file'}>
      <section class="side" aria-label="Changes of the session">
        <SessionPicker sessions={state.sessions} chosen={id} />
        {session && <Questions session={session} say={say} />}
        {session?.quarantined ? (
          <p class="note">
            {pluralize(session.quarantined, 'effect')} of commands {session.quarantined === 1 ? 'was' : 'were'} refused
            and {session.quarantined === 1 ? 'waits' : 'wait'} in quarantine:{' '}
            <code>escrow quarantine {session.id}</code>
          </p>
        ) : null}
        {session?.damaged !== undefined && <p class="note bad">{session.damaged}</p>}
        {error !== undefined && (
          <p class="note bad" role="alert">
            {error}
          </p>
        )}
        {shown && <FileList shown={shown} chosen={change?.path} open={open} intents={state.intents} />}
        {shown && id !== undefined && (
          <CommitBar
            session={id}
            shown={shown}
            say={say}
            renew={renew}
            approveAll={() => void decide('approved', { all: shown.digest })}
            left={left}
            setLeft={setLeft}
          />
        )}
      </section>
      <section class="content" aria-label="The change">
        {change && id !== undefined ? (
          <FileView
            key={`${id} ${change.path}`}
            session={id}
            change={change}
            epoch={versions.all}
            position={`${files.indexOf(change) + 1} of ${files.length}`}
            keys={keys}
            say={say}
            renew={renew}
            give={(word, selection) => void decide(word, selection)}
            reject={setRejecting}
            leave={() => id !== undefined && goTo({ at: 'review', session: id })}
          />
        ) : (
          shown && (
            <Empty title={files.length === 0 ? 'Nothing is staged.' : 'Choose a change.'}>
              {files.length === 0 && <p>What the agent writes next shows up here by itself.</p>}
            </Empty>
          )
        )}
      </section>
      {rejecting && (
        <Reject
          what={rejecting.what}
          close={() => setRejecting(undefined)}
          reject={(reason) => {
            setRejecting(undefined)
            void decide('rejected', rejecting.selection, reason)
          }}
        />
      )}
    </div>
  )
}

/** A session's changes: looked at again when something moved, and after each decision. */
function useChanges(id: string | undefined, versions: Versions) {
  const [shown, setShown] = useState<WireChanges>()
  const [error, setError] = useState<string>()
  const [asked, setAsked] = useState(0)
  const version = id === undefined ? 0 : (versions.sessions[id] ?? 0)
  useEffect(() => {
    if (id === undefined) return
    let stale = false
    get<WireChanges>(`sessions/${encodeURIComponent(id)}/changes`).then(
      (value) => {
        if (stale) return
        setShown(value)
        setError(undefined)
      },
      (reason: unknown) => !stale && setError(wordsOf(reason)),
    )
    return () => {
      stale = true
    }
  }, [id, version, versions.all, asked])
  /** What was just decided is seen at once; what all of it looks like now takes as long as the stage is large. */
  const put = useCallback((paths: readonly string[], state: WireVerdict) => {
    const decided = new Set(paths)
    const withState = (change: WireChange): WireChange => (decided.has(change.path) ? { ...change, state } : change)
    setShown(
      (last) =>
        last && { ...last, groups: last.groups.map((group) => ({ ...group, changes: group.changes.map(withState) })) },
    )
  }, [])
  const renew = useCallback(() => setAsked((last) => last + 1), [])
  return { shown: shown?.session === id ? shown : undefined, error, renew, put }
}
