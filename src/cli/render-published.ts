import type { PublishedLog } from '../transparency/index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** What was published, for a person. */
export function renderPublished({ origin, size, added, key }: PublishedLog): string {
  return `${oneLine(origin)}: ${pluralize(size, 'line')}, ${added} new.\nThe log's key: ${oneLine(key)}\n`
}
