import type { WireLeft } from '../../src/web/wire.js'
import { Name, pluralize } from './shared.js'

/** Changes that are listed. The rest are counted. */
const MAX_LISTED = 5

/** Lists the changes that an approval or commit left out, with reasons. Stays until it is closed. */
export function LeftOut({ left, close }: { left: readonly WireLeft[]; close: () => void }) {
  if (left.length === 0) return null
  const more = left.length - MAX_LISTED
  return (
    <section class="left-out" aria-label="Left out" role="status">
      <p>Left out: {pluralize(left.length, 'change')}.</p>
      <ul>
        {left.slice(0, MAX_LISTED).map(({ path, message }) => (
          <li key={path}>
            <Name text={message} />
          </li>
        ))}
        {more > 0 && <li>and {pluralize(more, 'more change')}</li>}
      </ul>
      <p>
        Merge what changed on disk, resolve conflicts with Edit, or look at these changes again.{' '}
        <button type="button" class="link" onClick={close}>
          Close
        </button>
      </p>
    </section>
  )
}
