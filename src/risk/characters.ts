import { confusableWords } from '../core/confusable.js'
import { printableParts } from '../core/printable.js'
import type { Texts } from './changed.js'
import type { Found } from './facts.js'
import { isProse } from './paths.js'

const NOT_ASCII = /[^\0-\x7f]/
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
/** White space that editors show as a blank, and the mark at the start of a file. */
const HARMLESS = /^<U\+(?:00A0|202F|3000|FEFF)>$|^\^[ML]$/

/** Characters that hide or imitate, in the path and in added lines. */
export function characterFacts(path: string, { added }: Texts): Found[] {
  return [{ number: 0, text: path }, ...added].flatMap(({ number, text }) => {
    const line = number === 0 ? undefined : number
    const found: Found[] = []
    const spaces = isProse(path) ? undefined : hiddenBehindSpaces(text)
    if (spaces !== undefined) found.push({ name: 'hidden-by-spaces', what: `${spaces}`, line })
    if (!NOT_ASCII.test(text)) return found
    const named = printableParts(text).flatMap((part) => (part.hidden ? [part.text] : []))
    const hidden = [...new Set(named)].filter((name) => number === 0 || !HARMLESS.test(name))
    if (hidden.length > 0) {
      found.push({ name: BIDI.test(text) ? 'bidi-characters' : 'invisible-characters', what: hidden.join(' '), line })
    }
    for (const word of confusableWords(text).keys()) found.push({ name: 'homoglyph', what: word, line })
    return found
  })
}

const WIDE = 100

/** The length of a run of blanks within a line, with code before and after it. */
function hiddenBehindSpaces(text: string): number | undefined {
  if (text.length < WIDE) return undefined
  let run = 0
  let hasCode = false
  for (const character of text) {
    if (character === ' ' || character === '\t') run++
    else {
      if (hasCode && run >= WIDE) return run
      hasCode = true
      run = 0
    }
  }
  return undefined
}
