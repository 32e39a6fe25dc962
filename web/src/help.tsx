import { PAGE_KEYS } from './keys.js'
import { Dialog } from './shared.js'

export function Help({ close }: { close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {PAGE_KEYS.map(({ keys, action, does }) => (
          <div key={action}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        These keys do the same in the terminal and in VS Code, where they have the action. A verdict covers the bytes
        you saw. If they change, nothing is recorded and the page shows what is there now. What you reject stays staged
        and is never committed; the agent reads your reason at its next call.
      </p>
      <div class="actions">
        <button type="button" class="main" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
