import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from './shared.js'

/** Asks why: the words reach the agent. */
export function Reject({
  what,
  close,
  reject,
}: {
  what: string
  close: () => void
  /** False where it failed: the words stay. */
  reject: (reason: string) => Promise<boolean>
}) {
  const [words, setWords] = useState('')
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => (asks ? keep.current : field.current)?.focus(), [asks])
  const leave = () => {
    if (asks) setAsks(false)
    else if (words.trim() === '') close()
    else setAsks(true)
  }
  const submit = async () => {
    if (words.trim() === '' || busy) return
    setBusy(true)
    if (await reject(words.trim())) close()
    setBusy(false)
  }
  return (
    <Dialog title={`Reject ${what}`} close={leave}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <label for="reason">What should the agent hear?</label>
        <textarea
          id="reason"
          ref={field}
          rows={4}
          required
          value={words}
          placeholder="Prices are integers: use cents."
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
          }}
        />
        {asks ? (
          // A key of its own: a button must not turn into the submit button while it is pressed.
          <div key="asks" class="actions" role="alert">
            <span class="hint">Throw away what you wrote?</span>
            <button type="button" onClick={close}>
              Throw away
            </button>
            <button ref={keep} type="button" class="main" onClick={() => setAsks(false)}>
              Keep writing
            </button>
          </div>
        ) : (
          <div key="acts" class="actions">
            <span class="quiet hint">Ctrl+Enter rejects</span>
            <button type="button" onClick={leave}>
              Cancel
            </button>
            <button type="submit" class="bad" disabled={busy || words.trim() === ''}>
              Reject
            </button>
          </div>
        )}
      </form>
    </Dialog>
  )
}
