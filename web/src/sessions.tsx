import { useEffect, useState } from 'preact/hooks'
import type { WireSession } from '../../src/web/wire.js'
import { goTo } from './route.js'
import { Missing, Name, pluralize } from './shared.js'

/** Selects a session. Sessions with questions come first, then those with changes. */
export function SessionPicker({ sessions, chosen }: { sessions: readonly WireSession[]; chosen: string | undefined }) {
  const sorted = [...sessions].sort((a, b) => weight(b) - weight(a) || (a.id < b.id ? -1 : 1))
  const session = sessions.find(({ id }) => id === chosen)
  return (
    <div class="picker">
      <label>
        <span class="unseen">Session</span>
        <select value={chosen} onChange={(event) => goTo({ at: 'review', session: event.currentTarget.value })}>
          {sorted.map(({ id, changes, questions }) => (
            <option key={id} value={id}>
              {id} — {changes === 0 ? 'nothing staged' : pluralize(changes, 'change')}
              {questions.length > 0 ? `, ${pluralize(questions.length, 'question')}` : ''}
            </option>
          ))}
        </select>
      </label>
      {session && (
        <p class="who">
          <span class={session.live ? 'dot live' : 'dot'} aria-hidden="true" />
          {session.live ? 'at work' : 'at rest'}
          {session.agent?.model !== undefined && (
            <>
              {' '}
              · <Name text={session.agent.model} />
            </>
          )}
          {session.agent?.tool !== undefined && (
            <>
              {' '}
              · <Name text={session.agent.tool} />
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** A new session may be known a moment after the address that names it. */
const GRACE_MS = 500

/** Shown for an address of a session that does not exist. */
export function UnknownSession({ id }: { id: string }) {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), GRACE_MS)
    return () => clearTimeout(timer)
  }, [])
  return isOver ? <Missing title={`There is no session ${id}.`} /> : <p class="loading">Loading…</p>
}

function weight({ questions, changes }: WireSession): number {
  return (questions.length > 0 ? 2 : 0) + (changes > 0 ? 1 : 0)
}
