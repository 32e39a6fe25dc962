import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { WireText } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { describeError } from './shared.js'

interface Props extends Notifier {
  readonly session: string
  readonly path: string
  readonly mark: string
  /** The line to start at. */
  readonly line: number
  readonly close: () => void
  readonly reload: () => Promise<void>
}

/** An edited text, with the mark and text of the change that it was opened at. */
interface Draft {
  readonly mark: string
  readonly before: string
  readonly text: string
}

/** Unsaved drafts by session and path, which survive opening another file. */
const drafts = new Map<string, Draft>()
const isUnsaved = (draft: Draft) => draft.text !== draft.before
addEventListener('beforeunload', (event) => [...drafts.values()].some(isUnsaved) && event.preventDefault())

/** The height of a line in pixels, and the lines above the starting one. */
const LINE = 20
const LINES_ABOVE = 4

/** Edits the staged text. The ledger credits the edit to the reviewer, and it needs a verdict. */
export function Editor({ session, path, mark, line, notify, close, reload }: Props) {
  const url = `sessions/${encodeURIComponent(session)}`
  const draftKey = `${session} ${path}`
  const [draft, setDraft] = useState(drafts.get(draftKey))
  const [error, setError] = useState<string>()
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLPreElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  const isOpen = draft !== undefined
  const isChanged = draft !== undefined && isUnsaved(draft)
  // A draft keeps the mark it was opened at. If the agent writes meanwhile, saving is refused.
  useEffect(() => {
    if (isOpen) return
    let isStale = false
    get<WireText>(`${url}/text`, { path, mark }).then(
      ({ after = '' }) => {
        if (isStale) return
        setDraft({ mark, before: after, text: after })
        setError(undefined)
      },
      (reason: unknown) => !isStale && setError(describeError(reason)),
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
    area.scrollTop = Math.max(0, line - 1 - LINES_ABOVE) * LINE
  }, [isOpen])
  useLayoutEffect(() => (asksToDiscard ? keep.current : field.current)?.focus(), [asksToDiscard])
  const finish = () => {
    drafts.delete(draftKey)
    close()
  }
  const leave = () => (isChanged ? setAsksToDiscard(true) : finish())
  const save = async () => {
    if (draft === undefined || !isChanged || busy) return
    setBusy(true)
    try {
      await post(`${url}/edit`, { path, mark: draft.mark, text: draft.text })
      drafts.delete(draftKey)
      notify('Saved into the stage. It needs a verdict.')
      // Reload first: an editor opened at the old content would be refused.
      await reload()
      close()
    } catch (failed) {
      notify(describeError(failed), 'bad')
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
          if (asksToDiscard) setAsksToDiscard(false)
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
            drafts.set(draftKey, typed)
            setDraft(typed)
          }}
        />
      </div>
      {asksToDiscard ? (
        // A separate key, because a button must not become the submit button while it is pressed.
        <div key="asks" class="actions" role="alert">
          <span class="hint">Throw away what you typed?</span>
          <button type="button" onClick={finish}>
            Throw away
          </button>
          <button ref={keep} type="button" class="main" onClick={() => setAsksToDiscard(false)}>
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
