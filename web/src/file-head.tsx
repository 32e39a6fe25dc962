import type { Layout, WireChange, WireWord } from '../../src/web/wire.js'
import { Flag, Name, Path } from './shared.js'

interface Props {
  readonly change: WireChange
  readonly position: string
  /** Undefined where there is no choice. */
  readonly layout: Layout | undefined
  readonly setLayout: (layout: Layout) => void
  readonly edit: (() => void) | undefined
  readonly discard: () => void
  readonly decide: (word: WireWord) => void
  readonly leave: () => void
}

/** What a change is, and what can be done with all of it. */
export function FileHead({ change, position, layout, setLayout, edit, discard, decide, leave }: Props) {
  return (
    <header class="file-head">
      <div class="file-title">
        <button type="button" class="plain back" onClick={leave} aria-label="Back to the list">
          ‹
        </button>
        <h2>
          <Path path={change.path} from={change.from} />
        </h2>
        <span class="quiet position">{position}</span>
      </div>
      <div class="file-facts">
        <span class={`kind kind-${change.kind}`}>{change.kind}</span>
        {change.mode !== undefined && <span class="flag">mode {change.mode}</span>}
        {change.flags.map((flag) => (
          <Flag key={flag} flag={flag} />
        ))}
        <Measured change={change} />
        {change.intentId !== undefined && <span class="flag">{change.intentId}</span>}
      </div>
      {change.why.map((why) => (
        <p key={why} class="file-why">
          <Name text={why} />
        </p>
      ))}
      <div class="file-actions">
        <span class={`verdict ${change.state}`}>{change.state}</span>
        {layout !== undefined && (
          <button
            type="button"
            class="plain"
            aria-pressed={layout === 'split'}
            title="Side by side (s)"
            onClick={() => setLayout(layout === 'split' ? 'unified' : 'split')}
          >
            Side by side
          </button>
        )}
        {edit && (
          <button type="button" class="plain" title="Edit in place (e)" onClick={edit}>
            Edit
          </button>
        )}
        <button type="button" class="plain" title="Take it out of the stage; the disk stays as it is" onClick={discard}>
          Discard
        </button>
        {change.state !== 'pending' && (
          <button type="button" title="Take the verdict back (u)" onClick={() => decide('withdrawn')}>
            Take back
          </button>
        )}
        <button type="button" title="Reject the file (N)" class="bad" onClick={() => decide('rejected')}>
          Reject
        </button>
        <button type="button" title="Approve the file (Y)" class="good" onClick={() => decide('approved')}>
          Approve
        </button>
      </div>
    </header>
  )
}

function Measured({ change: { flags, measured, declared, rule } }: { change: WireChange }) {
  if (measured === undefined) return null
  const differs = declared !== undefined && flags.includes('class-disagrees')
  const words = (text: string) => text.toLowerCase().replaceAll('_', ' ')
  return (
    <span
      class={differs ? 'flag grave' : 'flag'}
      title={rule === undefined ? undefined : `Measured by the rule: ${rule}`}
    >
      <Name text={words(measured)} />
      {differs && <>, declared {words(declared)}</>}
    </span>
  )
}
