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
  return (
    <section class="trust" aria-labelledby="trust-title">
      <h2 id="trust-title">These files ask for more than you have accepted on this machine</h2>
      <table>
        <tbody>
          {trust.changes.map(({ file, effect, what }) => (
            <tr key={`${file} ${effect} ${what}`}>
              <td>{file}</td>
              <td class={`effect ${effect}`}>{effect}</td>
              <td>
                <code>{what}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="quiet">Until you accept them, the stricter of both holds.</p>
      <button type="button" class="good" disabled={isSending} onClick={accept}>
        Accept these files
      </button>
    </section>
  )
}
