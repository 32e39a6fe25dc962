/**
 * Words that a reader takes for others: `раypal` with Cyrillic letters, `ａdmin` with wide ones. A word is flagged where it mixes Latin
 * letters with letters of a script that looks like it, or where all its letters look Latin and the rest of its line is. Greek is
 * common in formulas (`Δt`, `λ1`), so of it only the letters count that look Latin.
 */

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const NOT_ASCII = /[^\0-\x7f]/
const LATIN = /\p{Script=Latin}/u

/** What looks Latin by its script. Letters that only look otherwise (wide, mathematical) count as a script of their own. */
const ALIKE: readonly (readonly [script: string, letters: RegExp])[] = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳοινρυκϲ]/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
]
/** Fullwidth and mathematical letters, the Kelvin sign and the long s: Latin to the eye, and other characters. */
const STYLED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u212a\u017f]/u

/** Letters of Cyrillic and Greek that look Latin by themselves. */
const LOOKS_LATIN = /^[\p{N}_АВЕКМНОРСТУХЅІЈԚԜаеорсухѕіјԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινρυκ]+$/u
const LOOKALIKE_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/** The confusable words of a line or a path, each with why, in order; a word is given once. */
export function confusableWords(line: string): Map<string, string> {
  const found = new Map<string, string>()
  if (!NOT_ASCII.test(line)) return found
  const words = line.match(WORD) ?? []
  const isLatinLine = words.some((word) => LATIN.test(word)) && !words.some(isOfAnotherLanguage)
  for (const word of words) {
    const why = NOT_ASCII.test(word) ? whyConfusable(word, isLatinLine) : undefined
    if (why !== undefined) found.set(word, why)
  }
  return found
}

function whyConfusable(word: string, isLatinLine: boolean): string | undefined {
  if (STYLED.test(word)) return 'has letters that look like Latin ones and are not'
  const [script] = ALIKE.find(([, letters]) => letters.test(word)) ?? []
  if (script === undefined) return undefined
  if (LATIN.test(word)) return `mixes Latin and ${script} letters`
  return isLatinLine && [...word].length > 1 && LOOKS_LATIN.test(word) ? `looks Latin but is ${script}` : undefined
}

function isOfAnotherLanguage(word: string): boolean {
  return LOOKALIKE_SCRIPT.test(word) && !LATIN.test(word) && !LOOKS_LATIN.test(word)
}
