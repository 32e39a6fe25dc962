/**
 * Confusable words: `раypal` with Cyrillic letters, `ａdmin` with fullwidth ones. A word is flagged if it mixes Latin letters with
 * letters of a similar script, or if all its letters look Latin and the rest of its line is Latin. Greek is common in formulas
 * (`Δt`, `λ1`), so only the Greek letters that look Latin count.
 */

const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const NOT_ASCII = /[^\0-\x7f]/
const LATIN = /\p{Script=Latin}/u

/** The scripts with letters that look Latin. Styled letters (fullwidth, mathematical) are treated separately. */
const ALIKE: readonly (readonly [script: string, letters: RegExp])[] = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /[ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳοινρυκϲ]/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
]
/** Fullwidth and mathematical letters, the Kelvin sign and the long s: they look Latin, but are other characters. */
const STYLED = /[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u212a\u017f]/u

/** Words of Cyrillic and Greek letters that all look Latin. */
const LOOKS_LATIN = /^[\p{N}_АВЕКМНОРСТУХЅІЈԚԜаеорсухѕіјԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινρυκ]+$/u
const LOOKALIKE_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/** Returns the confusable words of a line or path in order, each once, with the reason. */
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
