import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { WireText } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Told } from './app.js'
import { wordsOf } from './shared.js'

interface Props extends Told {
  readonly session: string
  readonly path: string
  readonly mark: string
  /** The line to start at. */
  readonly line: number
  readonly close: () => void
  readonly reload: () => Promise<void>
}

/** A text that a person edits: the change it was opened at, its text then and its text now. */
interface Draft {
  readonly mark: string
  readonly before: string
  readonly text: string
}

/** Drafts that a person has neither saved nor thrown away, by session and path: opening another file does not lose them. */
const drafts = new Map<string, Draft>()
const isUnsaved = (draft: Draft) => draft.text !== draft.before
addEventListener('beforeunload', (event) => [...drafts.values()].some(isUnsaved) && event.preventDefault())

/** Pixels of a line, and lines that stay visible above the one to start at. */
const LINE = 20
const ABOVE = 4

/** The staged text, for the reviewer's own correction. It is theirs in the trace, and needs a verdict like all else. */
export function Editor({ session, path, mark, line, say, close, reload }: Props) {
  const url = `sessions/${encodeURIComponent(session)}`
  const name = `${session} ${path}`
  const [draft, setDraft] = useState(drafts.get(name))
  const [error, setError] = useState<string>()
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLPreElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  const isOpen = draft !== undefined
  const isChanged = draft !== undefined && isUnsaved(draft)
  // A draft stays at the change it was opened at: if the agent writes meanwhile, saving says so.
  useEffect(() => {
    if (isOpen) return
    let isStale = false
    get<WireText>(`${url}/text`, { path, mark }).then(
      ({ after = '' }) => {
        if (isStale) return
        setDraft({ mark, before: after, text: after })
        setError(undefined)
      },
      (reason: unknown) => !isStale && setError(wordsOf(reason)),
    )
    return () => {
      isStale = true
    }
  }, [url, path, mark, isOpen])
  useLayoutEffect(() => {
    const area = field.current
    if (area === null || draft === undefined) return
    const start = draft.text.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0)
    area.focus({ preventScroll: true })
    area.setSelectionRange(start, start)
    area.scrollTop = Math.max(0, line - 1 - ABOVE) * LINE
  }, [isOpen])
  useLayoutEffect(() => (asks ? keep.current : field.current)?.focus(), [asks])
  const finish = () => {
    drafts.delete(name)
    close()
  }
  const leave = () => (isChanged ? setAsks(true) : finish())
  const save = async () => {
    if (draft === undefined || !isChanged || busy) return
    setBusy(true)
    try {
      await post(`${url}/edit`, { path, mark: draft.mark, text: draft.text })
      drafts.delete(name)
      say('Saved into the stage. It needs a verdict.')
      // The page must know the new content first: an editor opened at the old one would be refused.
      await reload()
      close()
    } catch (failed) {
      say(wordsOf(failed), 'bad')
      setBusy(false)
      await reload()
    }
  }
  if (draft === undefined)
    return error === undefined ? (
      <p class="loading editor">Loading…</p>
    ) : (
      <div class="note bad" role="alert">
        <p>{error}</p>
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    )
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault()
          if (asks) setAsks(false)
          else leave()
        }
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        void save()
      }}
    >
      <label class="unseen" for="edit">
        Content of {path}
      </label>
      <div class="editor-text">
        <pre ref={numbers} class="editor-numbers" aria-hidden="true">
          {draft.text.split('\n').map((_, at) => `${at + 1}\n`)}
        </pre>
        <textarea
          id="edit"
          ref={field}
          spellcheck={false}
          wrap="off"
          readOnly={busy}
          value={draft.text}
          onScroll={(event) => numbers.current?.scrollTo(0, event.currentTarget.scrollTop)}
          onInput={(event) => {
            const typed = { ...draft, text: event.currentTarget.value }
            drafts.set(name, typed)
            setDraft(typed)
          }}
        />
      </div>
      {asks ? (
        // A key of its own: a button must not turn into the submit button while it is pressed.
        <div key="asks" class="actions" role="alert">
          <span class="hint">Throw away what you typed?</span>
          <button type="button" onClick={finish}>
            Throw away
          </button>
          <button ref={keep} type="button" class="main" onClick={() => setAsks(false)}>
            Keep editing
          </button>
        </div>
      ) : (
        <div key="acts" class="actions">
          <span class="quiet hint">Ctrl+S saves, Esc leaves</span>
          {draft.mark !== mark && !busy && <span class="flag grave">the agent has written to it meanwhile</span>}
          <button type="button" onClick={leave}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={busy || !isChanged}>
            Save into the stage
          </button>
        </div>
      )}
    </form>
  )
}
