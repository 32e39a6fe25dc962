import { useState } from 'preact/hooks'
import type { WireText } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Told } from './app.js'
import { useLoaded, wordsOf } from './shared.js'

interface Props extends Told {
  readonly session: string
  readonly path: string
  readonly mark: string
  readonly close: () => void
  readonly renew: () => void
}

/** The staged text, for the reviewer's own correction. It is theirs in the trace, and needs a verdict like all else. */
export function Editor({ session, path, mark, say, close, renew }: Props) {
  // What is edited is what was opened: if the agent writes meanwhile, saving says so.
  const [opened] = useState(mark)
  const { value, error } = useLoaded(
    () => get<WireText>(`sessions/${encodeURIComponent(session)}/text`, { path, mark: opened }),
    [opened],
  )
  const [text, setText] = useState<string>()
  const shown = text ?? value?.after
  const save = async () => {
    try {
      await post(`sessions/${encodeURIComponent(session)}/edit`, { path, mark: opened, text: shown })
      say('Saved into the stage. It needs a verdict.')
      close()
    } catch (failed) {
      say(wordsOf(failed), 'bad')
    }
    renew()
  }
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (shown === undefined) return <p class="loading">Looking…</p>
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <label class="unseen" for="edit">
        Content of {path}
      </label>
      <textarea
        id="edit"
        spellcheck={false}
        autoFocus
        value={shown}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          void save()
        }}
      />
      <div class="actions">
        <span class="quiet hint">Ctrl+S saves, Esc leaves</span>
        {opened !== mark && <span class="flag grave">the agent has written to it meanwhile</span>}
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="main" disabled={text === undefined || text === value?.after}>
          Save into the stage
        </button>
      </div>
    </form>
  )
}
