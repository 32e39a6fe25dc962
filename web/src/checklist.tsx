import { useRef, useState } from 'preact/hooks'
import type { WireChanges, WireSentence } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { keyOf } from './keys.js'
import { describeError, Name, useLoaded } from './shared.js'

/** The acceptance sentences of what a commit would write now, with what a person can do to them. */
export interface ChecklistState {
  readonly sentences: readonly WireSentence[]
  readonly error?: string | undefined
  tick(sentence: WireSentence): Promise<void>
}

/** Reads the checklist after each change of the stage or of a verdict, and after a tick. */
export function useChecklist(
  session: string | undefined,
  shown: WireChanges | undefined,
  notify: Notifier['notify'],
): ChecklistState {
  const address = `sessions/${encodeURIComponent(session ?? '')}`
  const [round, setRound] = useState(0)
  const { value = [], error } = useLoaded(
    async () => (shown === undefined ? [] : await get<readonly WireSentence[]>(`${address}/checklist`)),
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
  return { sentences: value, error, tick }
}

const NAME = 'Checklist'

/** Moves the focus to the next sentence without a tick, or else to the first. False without sentences. */
export function focusChecklist(): boolean {
  const boxes = [...document.querySelectorAll<HTMLInputElement>(`[aria-label="${NAME}"] input`)]
  const after = boxes.findIndex((box) => box.matches(':focus')) + 1
  const turned = [...boxes.slice(after), ...boxes.slice(0, after)]
  const box = turned.find(({ checked }) => !checked) ?? boxes[0]
  box?.focus()
  return box !== undefined
}

/** A person ticks the sentences that are true. */
export function Checklist({ sentences, error, tick }: ChecklistState) {
  const busy = useRef(false)
  const tickOnce = async (sentence: WireSentence) => {
    if (busy.current) return
    busy.current = true
    await tick(sentence)
    busy.current = false
  }
  if (error !== undefined) return <p class="checks bad">{error}</p>
  if (sentences.length === 0) return null
  const ticked = sentences.filter((each) => each.ticked).length
  return (
    <section class="checks" aria-label={NAME}>
      <p class="quiet" title={`Go to the checklist (${keyOf('checklist')})`}>
        {ticked} of {sentences.length} ticked
      </p>
      <ul>
        {sentences.map((each) => (
          <li key={`${each.intentId} ${each.criterion}`}>
            <label title={each.by === undefined ? each.intentId : `${each.intentId}, ticked by ${each.by}`}>
              <input type="checkbox" checked={each.ticked} onChange={() => void tickOnce(each)} />
              <span>
                <Name text={each.criterion} />
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Names the sentences that nobody has ticked. */
export function Unticked({
  sentences,
}: {
  readonly sentences: readonly Pick<WireSentence, 'intentId' | 'criterion'>[]
}) {
  if (sentences.length === 0) return null
  return (
    <div class="unticked" role="note" aria-label="Not ticked">
      <p>Not ticked:</p>
      <ul>
        {sentences.map(({ intentId, criterion }) => (
          <li key={`${intentId} ${criterion}`} title={intentId}>
            <Name text={criterion} />
          </li>
        ))}
      </ul>
    </div>
  )
}
