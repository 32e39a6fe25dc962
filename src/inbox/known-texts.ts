import { join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import { personalState } from '../os/personal-state.js'
import { readSmall } from '../os/read.js'
import { textMap } from '../os/text-maps.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'

/** How many conversations of a workspace are remembered. */
const MAX_CONVERSATIONS = 50
const MAX_BYTES = 64 * 1024

/**
 * Whether a text differs from the last one that a client's conversation got. Remembers the text. Where nothing can be written,
 * as in a session's mount, every text is new.
 */
export function isNews(root: string, conversation: string, text: string): boolean {
  const [key, digest] = [sha256hex(conversation).slice(0, 16), sha256hex(text).slice(0, 16)]
  try {
    const dir = join(personalState(), 'told')
    const file = join(dir, `${sha256hex(root).slice(0, 32)}.json`)
    const { [key]: last, ...others } = readDigests(file)
    if (last === digest) return false
    ensurePrivateDir(dir)
    const recent = [...Object.entries(others).slice(1 - MAX_CONVERSATIONS), [key, digest]]
    replaceDurable(file, JSON.stringify(Object.fromEntries(recent)), 0o600)
  } catch {
    // The conversation gets the text again, which does no harm.
  }
  return true
}

function readDigests(file: string): Readonly<Record<string, string>> {
  try {
    return textMap.parse(JSON.parse(readSmall(file, MAX_BYTES)))
  } catch {
    return {}
  }
}
