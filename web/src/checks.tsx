import type { Ref } from 'preact'
import { useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { WireChanges, WireCheck, WireChecks } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { keyOf } from './keys.js'
import { describeError, Name, pluralize, useLoaded } from './shared.js'

/** The action of the checks for a key. */
export interface CheckKeys {
  run(): void
}

interface Props extends Notifier {
  readonly session: string
  readonly shown: WireChanges
  readonly keys: Ref<CheckKeys>
}

/** The checks of the content that a commit would write now, each with its state and evidence. */
export function Checks({ session, shown, notify, keys }: Props) {
  const address = `sessions/${encodeURIComponent(session)}`
  const [round, setRound] = useState(0)
  const [running, setRunning] = useState(false)
  const controller = useRef<AbortController>(null)
  const { value, error } = useLoaded(() => get<WireChecks>(`${address}/checks`), [session, shown, round])
  const checks = value?.checks ?? []
  const run = async () => {
    if (running) return notify('The checks run already.', 'bad')
    if (checks.length === 0) return notify('No check applies to these changes.', 'bad')
    setRunning(true)
    controller.current = new AbortController()
    const { signal } = controller.current
    try {
      const done = await post<WireChecks>(`${address}/check`, {}, signal)
      const failed = done.checks.filter(({ state }) => state !== 'passed').length
      notify(failed > 0 ? `${pluralize(failed, 'check')} failed.` : 'The checks passed.', failed > 0 ? 'bad' : 'good')
    } catch (failure) {
      notify(signal.aborted ? 'The checks were stopped.' : describeError(failure), 'bad')
    }
    setRunning(false)
    setRound((last) => last + 1)
  }
  useImperativeHandle(keys, () => ({ run: () => void run() }))
  if (error !== undefined) return <p class="checks bad">{error}</p>
  if (checks.length === 0) return null
  return (
    <section class="checks" aria-label="Checks">
      <ul>
        {checks.map((each) => (
          <li key={`${each.intentId} ${each.run}`}>
            <Evidence check={each} />
          </li>
        ))}
      </ul>
      {running ? (
        <button type="button" onClick={() => controller.current?.abort()}>
          Stop the checks
        </button>
      ) : (
        <button
          type="button"
          title={`Run them on what a commit would write (${keyOf('check')})`}
          onClick={() => void run()}
        >
          Run the checks
        </button>
      )}
    </section>
  )
}

function Evidence({ check: { intentId, run, state, end, at, output } }: { check: WireCheck }) {
  const head = (
    <>
      <span class={`state ${state.replace(' ', '-')}`}>{state}</span> <Name text={run} />
    </>
  )
  if (output === undefined) return <p title={intentId}>{head}</p>
  return (
    <details>
      <summary title={`${intentId}, ${end}, ${at}`}>{head}</summary>
      <pre>{output === '' ? 'No output.' : output}</pre>
    </details>
  )
}
