import { useState } from 'preact/hooks'
import type { WireTrust } from '../../src/web/wire.js'
import { post } from './api.js'
import type { Notifier } from './app.js'
import { describeError } from './shared.js'

/** Lists the unaccepted changes to policy and intents, with a button to accept them. */
export function Trust({
  trust,
  notify,
  accepted,
}: {
  trust: WireTrust
  notify: Notifier['notify']
  accepted: () => void
}) {
  const [isSending, setSending] = useState(false)
  const accept = async () => {
    setSending(true)
    try {
      await post('trust', { digest: trust.digest })
      notify('Accepted on this machine.')
    } catch (error) {
      notify(describeError(error), 'bad')
    } finally {
      setSending(false)
      accepted()
    }
  }
  const files = [...new Set(trust.changes.map(({ file }) => file))]
  return (
    <section class="trust" aria-labelledby="trust-title">
      <div class="trust-head">
        <div>
          <h2 id="trust-title">These files ask for more than you have accepted on this machine</h2>
          <p class="quiet">Until you accept them, the stricter of both applies.</p>
        </div>
        <button type="button" class="good" disabled={isSending} onClick={accept}>
          Accept these files
        </button>
      </div>
      {/* Focusable, so that keys can scroll it. */}
      <div class="trust-changes" tabIndex={0} role="group" aria-label="What they ask for">
        {files.map((file) => (
          <div key={file}>
            <h3>{file}</h3>
            <ul>
              {trust.changes
                .filter((change) => change.file === file)
                .map(({ effect, what }) => (
                  <li key={`${effect} ${what}`}>
                    <b>{effect}</b> <code>{what}</code>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}
