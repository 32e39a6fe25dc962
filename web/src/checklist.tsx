import { useState } from 'preact/hooks'
import type { WireChanges, WireSentence } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { describeError, Name, useLoaded } from './shared.js'

interface Props extends Notifier {
  readonly session: string
  readonly shown: WireChanges
}

/** The acceptance sentences of what a commit would write now. A person ticks those that are true. */
export function Checklist({ session, shown, notify }: Props) {
  const address = `sessions/${encodeURIComponent(session)}`
  const [round, setRound] = useState(0)
  const { value = [], error } = useLoaded(
    () => get<readonly WireSentence[]>(`${address}/checklist`),
    [session, shown, round],
  )
  const tick = async ({ intentId, criterion, ticked }: WireSentence) => {
    try {
      await post(`${address}/tick`, { intentId, criterion, ticked: !ticked })
    } catch (failure) {
      notify(describeError(failure), 'bad')
    }
    setRound((last) => last + 1)
  }
  if (error !== undefined) return <p class="checks bad">{error}</p>
  if (value.length === 0) return null
  return (
    <section class="checks" aria-label="Checklist">
      <ul>
        {value.map((each) => (
          <li key={`${each.intentId} ${each.criterion}`}>
            <label title={each.by === undefined ? each.intentId : `${each.intentId}, ticked by ${each.by}`}>
              <input type="checkbox" checked={each.ticked} onChange={() => void tick(each)} />{' '}
              <Name text={each.criterion} />
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}
