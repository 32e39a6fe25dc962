import type { ChecklistItem } from '../../index.js'
import { pluralize } from '../output.js'

/** The sentences that a question or message names. It counts the others. */
const MAX_NAMES = 3
/** The longest part of a sentence in a question or message, in UTF-16 units. */
const NAME_LIMIT = 60

/** `1/2 ticked`; empty without sentences. */
export function describeChecklist(items: readonly ChecklistItem[]): string {
  const ticked = items.filter((each) => each.ticked).length
  return items.length === 0 ? '' : `${ticked}/${items.length} ticked`
}

/** Names the sentences without a tick: `Not ticked: "Prices are integers".` Empty if there are none. */
export function describeUnticked(sentences: readonly Pick<ChecklistItem, 'criterion'>[]): string {
  const names = sentences.slice(0, MAX_NAMES).map(({ criterion }) => `"${shorten(criterion)}"`)
  const more = sentences.length > MAX_NAMES ? ` and ${sentences.length - MAX_NAMES} more` : ''
  return sentences.length === 0 ? '' : `Not ticked: ${names.join(', ')}${more}.`
}

function shorten(text: string): string {
  return text.length <= NAME_LIMIT ? text : `${text.slice(0, NAME_LIMIT).trimEnd()}…`
}

/** The message after a tick: `Ticked. 1 sentence is left.` */
export function tickMessage(ticked: boolean, items: readonly ChecklistItem[]): string {
  const left = items.filter((each) => !each.ticked).length
  const rest =
    left === 0 ? 'Everything is ticked.' : `${pluralize(left, 'sentence')} ${left === 1 ? 'is' : 'are'} left.`
  return `${ticked ? 'Ticked.' : 'The tick was cleared.'} ${rest}`
}
