import { useRef, useState } from 'preact/hooks'
import { Dialog } from './shared.js'

/** Asks why: the words reach the agent. */
export function Reject({ what, close, reject }: { what: string; close: () => void; reject: (reason: string) => void }) {
  const [words, setWords] = useState('')
  const form = useRef<HTMLFormElement>(null)
  return (
    <Dialog title={`Reject ${what}`} close={close}>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (words.trim() !== '') reject(words.trim())
        }}
      >
        <label for="reason">What should the agent hear?</label>
        <textarea
          id="reason"
          rows={4}
          required
          autoFocus
          value={words}
          placeholder="Prices are integers: use cents."
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit()
          }}
        />
        <div class="actions">
          <span class="quiet hint">Ctrl+Enter rejects</span>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="bad" disabled={words.trim() === ''}>
            Reject
          </button>
        </div>
      </form>
    </Dialog>
  )
}
