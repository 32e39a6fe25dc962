import { useState } from 'preact/hooks'
import type { WireTrust } from '../../src/web/wire.js'
import { post } from './api.js'
import type { Told } from './app.js'
import { wordsOf } from './shared.js'

/** What the files ask for beyond what was accepted on this machine, and the button that accepts it. */
export function Trust({ trust, say, accepted }: { trust: WireTrust; say: Told['say']; accepted: () => void }) {
  const [isSending, setSending] = useState(false)
  const accept = async () => {
    setSending(true)
    try {
      await post('trust', { digest: trust.digest })
      say('Accepted on this machine.')
    } catch (error) {
      say(wordsOf(error), 'bad')
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
          <p class="quiet">Until you accept them, the stricter of both holds.</p>
        </div>
        <button type="button" class="good" disabled={isSending} onClick={accept}>
          Accept these files
        </button>
      </div>
      {/* It scrolls, so it can be reached by keys. */}
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
