/** Expressions that make a sentence hard to read, each with a replacement. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again, or a verb with re-'],
  [/\bbesides\b/i, 'also, or in addition to'],
  [/\btells? of\b/i, 'says, lists, reports'],
  [/\bstands? in (?:for|the place of)\b/i, 'replaces, plays'],
  [/\bas it were\b/i, 'nothing'],
]

/** Further expressions, only for comments: a guide may quote them, and they can be right in running text. */
const COMMENT_HABITS: readonly (readonly [RegExp, string])[] = [
  ...HABITS,
  [/\bunless told\b/i, 'by default'],
  [/\btold of\b/i, 'called with, gets'],
  [/\bso many (?:milliseconds|seconds|minutes|days|bytes|characters|times)\b/i, 'the name of the argument'],
  [/\b(?:is|are|there|counts?|exists?|known) no more\b(?! than)/i, 'no longer'],
  [/\bfor good\b(?! reason)/i, 'permanently'],
  [/\bwhat became of\b/i, 'the result of'],
  [/\bwhat (?:it|they) (?:said|did)\b/i, 'its output, its effects'],
  [/\bheld in by\b/i, 'contained by'],
  [/\bas (?:it|they) (?:comes?|came)\b(?! into)/i, 'each chunk of, in order'],
  [/\bby (?:its|their) topmost name\b/i, 'topmost directories only'],
  [/\bthe earliest first\b/i, 'oldest first'],
  [/, say(?=[,)])|\ban? \w+ say\b/i, 'for example'],
  [/\b(?:lest|thereof|whereof|wherein)\b/i, 'so that … not, of it, in which'],
  [/\bstands?\b(?!-| (?:for|alone|in)\b)/i, 'is, exists, applies'],
  [/\b(?:throws|rejects|absent|undefined|null|false|true) where\b/i, 'if'],
  [/\b(?:came|comes?) of (?:it|each|both|them)\b/i, 'the result of'],
  [/\b(?:goes|went) with (?:its|their)\b/i, 'is removed with'],
  [/\bas told\b/i, 'as requested, by its arguments'],
  [/\bto be told\b/i, 'to report'],
  [/\bsame breath\b/i, 'at the same time, in the same change'],
  [/\bplatters?\b/i, 'the disk, durable'],
  [/\b(?:some|that) moment later\b/i, 'after a delay of'],
]

/** The lines with such an expression, each with its number and the replacement. */
export function badHabits(text: string): string[] {
  return text.split('\n').flatMap((line, index) => habitsIn(line, index + 1, HABITS))
}

/** The comments of a source with such an expression, each with the number of its first line and the replacement. */
export function badComments(source: string): string[] {
  return [...source.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const text = comment.replace(/\s*\n\s*\* ?/g, ' ')
    return habitsIn(text, source.slice(0, index).split('\n').length, COMMENT_HABITS)
  })
}

/** A comment that begins its line, or ends it after code. */
const COMMENT = /(?<=^[ \t]*)(?:\/\*[\s\S]*?\*\/|\/\/.*)|(?<=\s)\/\/ .*/gm

function habitsIn(text: string, line: number, habits: typeof HABITS): string[] {
  return habits.flatMap(([habit, better]) => (habit.test(text) ? [`${line}: ${better}`] : []))
}

/** The most words of a sentence. */
const LONGEST = 35

/** The sentences of the prose, without code blocks, tables and headings. Inline code counts as a word. */
export function longSentences(text: string): string[] {
  const prose = text
    .replace(/```[\s\S]*?```/g, '')
    .replace(/^[|#].*$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
  return prose
    .split(/\n\s*\n|\n(?=[-*\d] )/)
    .flatMap((part) =>
      part
        .replace(/`[^`]*`/g, 'code')
        .replace(/\]\([^)]*\)/g, ']')
        .split(/(?<=[.!?:;])\s+/),
    )
    .filter((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > LONGEST)
}
