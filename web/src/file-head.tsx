import type { Layout, WireChange, WireWord } from '../../src/web/wire.js'
import { keyOf } from './keys.js'
import { className, Flag, Name, Path } from './shared.js'

interface Props {
  readonly change: WireChange
  readonly position: string
  /** Undefined if the layout cannot be chosen. */
  readonly layout: Layout | undefined
  readonly setLayout: (layout: Layout) => void
  /** Describes the current match of a search. */
  readonly match: string | undefined
  readonly viewed: boolean
  readonly setViewed: (viewed: boolean) => void
  readonly edit: (() => void) | undefined
  readonly discard: () => void
  readonly decide: (word: WireWord) => void
  readonly leave: () => void
}

/** Describes a change, with actions on the whole file. */
export function FileHead({
  change,
  position,
  layout,
  setLayout,
  match,
  viewed,
  setViewed,
  edit,
  discard,
  decide,
  leave,
}: Props) {
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
        {change.mode !== undefined && !/none/.test(change.mode) && <span class="flag">mode {change.mode}</span>}
        {change.flags.map((flag) => (
          <Flag key={flag} flag={flag} />
        ))}
        <Measured change={change} />
        {change.intentId !== undefined && <span class="flag">{change.intentId}</span>}
        {match !== undefined && (
          <span class="flag" role="status">
            {match}
          </span>
        )}
      </div>
      {change.why.map((why, at) => (
        <p key={`${at} ${why}`} class="file-why">
          <Name text={why} />
        </p>
      ))}
      <div class="file-actions">
        <span class={`verdict ${change.state}`}>{describeState(change)}</span>
        <label class="viewed">
          <input type="checkbox" checked={viewed} onChange={(event) => setViewed(event.currentTarget.checked)} /> Viewed
        </label>
        {layout !== undefined && (
          <button
            type="button"
            class="plain"
            aria-pressed={layout === 'split'}
            title={`Side by side (${keyOf('sides')})`}
            onClick={() => setLayout(layout === 'split' ? 'unified' : 'split')}
          >
            Side by side
          </button>
        )}
        {edit && (
          <button type="button" class="plain" title={`Edit in place (${keyOf('edit')})`} onClick={edit}>
            Edit
          </button>
        )}
        <button
          type="button"
          class="plain"
          title={`Take it out of the stage; the disk stays as it is (${keyOf('discard')})`}
          onClick={discard}
        >
          Discard
        </button>
        {change.state !== 'pending' && (
          <button type="button" title={`Take the verdict back (${keyOf('undo')})`} onClick={() => decide('withdrawn')}>
            Take back
          </button>
        )}
        <button
          type="button"
          title={`Reject the file (${keyOf('rejectFile')})`}
          class="bad"
          onClick={() => decide('rejected')}
        >
          Reject
        </button>
        <button
          type="button"
          title={`Approve the file (${keyOf('approveFile')})`}
          class="good"
          onClick={() => decide('approved')}
        >
          Approve
        </button>
      </div>
    </header>
  )
}

/** The state, or `1 of 3 hunks approved` for a partly decided file. */
function describeState({ state, hunks: [all, approved, rejected] }: WireChange): string {
  if (state !== 'pending' || approved + rejected === 0) return state
  const words = [approved > 0 && `${approved} approved`, rejected > 0 && `${rejected} rejected`].filter(Boolean)
  return words.length === 1
    ? `${approved + rejected} of ${all} hunks ${approved > 0 ? 'approved' : 'rejected'}`
    : `${words.join(', ')} of ${all} hunks`
}

function Measured({ change: { flags, measured, declared, rule } }: { change: WireChange }) {
  const differs = declared !== undefined && flags.includes('class-disagrees')
  // Only a proven refactoring and a wrong declaration are informative.
  if (measured === undefined || (!differs && measured !== 'AST_REFACTOR')) return null
  return (
    <span
      class={differs ? 'flag grave' : 'flag'}
      title={rule === undefined ? undefined : `Measured by the rule: ${rule}`}
    >
      <Name text={className(measured)} />
      {differs && <>, declared {className(declared)}</>}
    </span>
  )
}
