import type { ChecklistItem } from '../index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** The checklist, a line for each acceptance sentence; empty without one. */
export function renderChecklist(items: readonly ChecklistItem[]): string {
  if (items.length === 0) return ''
  const ticked = items.filter((each) => each.ticked).length
  return `${items.map(row).join('')}${ticked} of ${pluralize(items.length, 'sentence')} ticked.\n`
}

function row({ intentId, number, criterion, ticked, by }: ChecklistItem): string {
  const person = by === undefined ? '' : ` (${oneLine(by.name)})`
  return `${ticked ? '[x]' : '[ ]'}  ${oneLine(intentId)} ${number}  ${oneLine(criterion)}${person}\n`
}

/**
 * Selects sentences by `INT-001 1 2 INT-002 1`: an intent's id, then numbers of its sentences.
 * @throws Error with the reason `nothing_selected` for a sentence that is not in the checklist
 */
export function findSentences(items: readonly ChecklistItem[], words: readonly string[]): ChecklistItem[] {
  let intent = ''
  const found: ChecklistItem[] = []
  words.forEach((word, index) => {
    const isNumber = /^\d+$/.test(word)
    if (!isNumber) intent = word
    const item = items.find(({ intentId, number }) => intentId === intent && number === Number(word))
    if (isNumber && item !== undefined) found.push(item)
    else if (isNumber || !/^\d+$/.test(words[index + 1] ?? ''))
      throw noSentence(isNumber ? `${intent} ${word}`.trim() : `${word} without a number`)
  })
  return found
}

function noSentence(name: string): Error {
  return Object.assign(new Error(`The checklist has no sentence ${name}. Nothing was ticked.`), {
    reason: 'nothing_selected',
    hint: "'escrow tick SESSION' lists the sentences. Name them as 'INT-001 1 2'.",
  })
}
