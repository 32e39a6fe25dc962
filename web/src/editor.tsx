import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { WireText } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Told } from './app.js'
import { useLoaded, wordsOf } from './shared.js'

interface Props extends Told {
  readonly session: string
  readonly path: string
  readonly mark: string
  /** The line to start at. */
  readonly line: number
  readonly close: () => void
  readonly renew: () => void
}

/** Texts that a person typed and has neither saved nor thrown away: opening another file does not lose them. */
const drafts = new Map<string, string>()
addEventListener('beforeunload', (event) => drafts.size > 0 && event.preventDefault())

/** Pixels of a line, and lines that stay visible above the one to start at. */
const LINE = 20
const ABOVE = 4

/** The staged text, for the reviewer's own correction. It is theirs in the trace, and needs a verdict like all else. */
export function Editor({ session, path, mark, line, say, close, renew }: Props) {
  // What is edited is what was opened: if the agent writes meanwhile, saving says so.
  const [opened] = useState(mark)
  const draft = `${session} ${path} ${opened}`
  const { value, error } = useLoaded(
    () => get<WireText>(`sessions/${encodeURIComponent(session)}/text`, { path, mark: opened }),
    [opened],
  )
  const [text, setText] = useState(drafts.get(draft))
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const numbers = useRef<HTMLPreElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  const shown = text ?? value?.after
  const isChanged = text !== undefined && text !== value?.after
  const isThere = shown !== undefined
  useLayoutEffect(() => {
    const area = field.current
    if (area === null || shown === undefined) return
    const start = shown.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0)
    area.focus({ preventScroll: true })
    area.setSelectionRange(start, start)
    area.scrollTop = Math.max(0, line - 1 - ABOVE) * LINE
  }, [isThere])
  useLayoutEffect(() => (asks ? keep.current : field.current)?.focus(), [asks])
  const finish = () => {
    drafts.delete(draft)
    close()
  }
  const leave = () => (isChanged ? setAsks(true) : finish())
  const save = async () => {
    if (!isChanged || busy) return
    setBusy(true)
    try {
      await post(`sessions/${encodeURIComponent(session)}/edit`, { path, mark: opened, text })
      say('Saved into the stage. It needs a verdict.')
      finish()
    } catch (failed) {
      say(wordsOf(failed), 'bad')
    }
    setBusy(false)
    renew()
  }
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (shown === undefined) return <p class="loading editor">Looking…</p>
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
          {shown.split('\n').map((_, at) => `${at + 1}\n`)}
        </pre>
        <textarea
          id="edit"
          ref={field}
          spellcheck={false}
          wrap="off"
          value={shown}
          onScroll={(event) => numbers.current?.scrollTo(0, event.currentTarget.scrollTop)}
          onInput={(event) => {
            drafts.set(draft, event.currentTarget.value)
            setText(event.currentTarget.value)
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
          {opened !== mark && <span class="flag grave">the agent has written to it meanwhile</span>}
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
