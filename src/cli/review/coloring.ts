import { loadHighlighter } from '../../surface/index.js'
import type { FileColors } from './lines.js'

/** The longest that highlighting one file may delay the next key. */
const PATIENCE_MS = 60

/** Highlights a file's staged content. Resolves to undefined for a deleted file and for one that is not UTF-8. */
export async function colorsFor(path: string, content: Uint8Array | undefined): Promise<FileColors | undefined> {
  if (content === undefined) return undefined
  const highlight = await loadHighlighter()
  try {
    return highlight(path, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content), PATIENCE_MS)
  } catch {
    // Not UTF-8.
    return undefined
  }
}
