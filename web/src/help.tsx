import { Dialog } from './shared.js'

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['j  k', 'next, previous hunk; on into the next file'],
  ['J  K', 'next, previous file'],
  ['y', 'approve the hunk (or the file that has none)'],
  ['n', 'reject it, and tell the agent why'],
  ['Y  N', 'approve, reject the whole file'],
  ['u', 'take a verdict back'],
  ['d', 'divide the hunk where unchanged lines stand within'],
  ['e', 'edit the file in place'],
  ['s', 'side by side, or unified'],
  ['a', 'approve all that is shown'],
  ['c', 'commit what is approved'],
  ['?', 'this list'],
]

export function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split('  ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        A verdict holds for the bytes you saw. If they change, nothing is recorded and the page shows what is there now.
        What you reject stays staged and is never committed; your words reach the agent at its next call.
      </p>
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
