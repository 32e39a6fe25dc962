import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from './shared.js'

/** Asks for the reason of a rejection, which the agent gets. */
export function Reject({
  what,
  close,
  reject,
}: {
  what: string
  close: () => void
  /** Resolves to false on failure, which keeps the typed reason. */
  reject: (reason: string) => Promise<boolean>
}) {
  const [reason, setReason] = useState('')
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const keep = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => (asksToDiscard ? keep.current : field.current)?.focus(), [asksToDiscard])
  const leave = () => {
    if (asksToDiscard) setAsksToDiscard(false)
    else if (reason.trim() === '') close()
    else setAsksToDiscard(true)
  }
  const submit = async () => {
    if (reason.trim() === '' || busy) return
    setBusy(true)
    if (await reject(reason.trim())) close()
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
          value={reason}
          placeholder="Prices are integers: use cents."
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
          }}
        />
        {asksToDiscard ? (
          // A separate key, because a button must not become the submit button while it is pressed.
          <div key="asks" class="actions" role="alert">
            <span class="hint">Throw away what you wrote?</span>
            <button type="button" onClick={close}>
              Throw away
            </button>
            <button ref={keep} type="button" class="main" onClick={() => setAsksToDiscard(false)}>
              Keep writing
            </button>
          </div>
        ) : (
          <div key="acts" class="actions">
            <span class="quiet hint">Ctrl+Enter rejects</span>
            <button type="button" onClick={leave}>
              Cancel
            </button>
            <button type="submit" class="bad" disabled={busy || reason.trim() === ''}>
              Reject
            </button>
          </div>
        )}
      </form>
    </Dialog>
  )
}
