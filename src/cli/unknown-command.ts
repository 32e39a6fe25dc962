import { nearest } from '../surface/index.js'
import { oneLine } from './printable.js'

/** The error for a command that does not exist, with the one that the person may have meant. */
export function unknownCommand(word: string, names: readonly string[]): string {
  const meant = nearest(word, names)
  return `error: unknown command '${oneLine(word)}'${meant === undefined ? '' : `\n(Did you mean '${meant}'?)`}`
}
