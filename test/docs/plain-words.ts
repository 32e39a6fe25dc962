/** Expressions that make a sentence hard to read, each with a replacement. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again, or a verb with re-'],
  [/\bbesides\b/i, 'also, or in addition to'],
  [/\btells? of\b/i, 'says, lists, reports'],
  [/\bstands? in (?:for|the place of)\b/i, 'replaces, plays'],
  [/\bas it were\b/i, 'nothing'],
]

/** The lines with such an expression, each with its number and the replacement. */
export function badHabits(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => HABITS.flatMap(([habit, better]) => (habit.test(line) ? `${at + 1}: ${better}` : [])))
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
