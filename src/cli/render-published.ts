import type { PublishedLog } from '../transparency/index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** Describes a published log for a person. */
export function renderPublished({ origin, size, added, key }: PublishedLog): string {
  return `${oneLine(origin)}: ${pluralize(size, 'line')}, ${added} new.\nThe log's key: ${oneLine(key)}\n`
}
