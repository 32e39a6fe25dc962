import type { Change, Review } from '../../index.js'
import { loadHighlighter } from '../../surface/index.js'
import type { FileColors } from './lines.js'

/** Longest that a person's next key may have to wait for colours. */
const PATIENCE_MS = 60

/** The colours of a file as it is staged; undefined where it has none. */
export async function colorsFor(review: Review, change: Change): Promise<FileColors | undefined> {
  const content = await review.content(change.path, 'after')
  if (content === undefined) return undefined
  const highlight = await loadHighlighter()
  try {
    return highlight(
      change.path,
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content),
      PATIENCE_MS,
    )
  } catch {
    // It is not UTF-8: it goes without colours.
    return undefined
  }
}
