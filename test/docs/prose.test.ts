import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Expressions that send a reader back to the start of a sentence, each with what to write in its place. */
const HABITS: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, 'again, or a verb with re-'],
  [/\bbesides\b/i, 'also, or in addition to'],
  [/\btells? of\b/i, 'says, lists, reports'],
  [/\bstands? in (?:for|the place of)\b/i, 'replaces, plays'],
  [/\bas it were\b/i, 'nothing'],
]

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']
  .concat(readdirSync('docs').map((name) => `docs/${name}`))
  .concat(readdirSync('docs/hosts').map((name) => `docs/hosts/${name}`))
  .concat(readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`))
  .filter((name) => name.endsWith('.md'))

function found(text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, at) => HABITS.flatMap(([habit, better]) => (habit.test(line) ? `${at + 1}: ${better}` : [])))
}

/** Words of a sentence that a reader can hold in mind. */
const LONGEST = 35

/** Sentences of the prose: code, tables and headings are left out, and a piece of code counts as a word. */
function longSentences(text: string): string[] {
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

const guides = pages.filter((page) => page === 'README.md' || /^docs\/(?!decisions\/)/.test(page))

it.each(guides)('%s has no sentence over 35 words', (page) => {
  expect(longSentences(readFileSync(page, 'utf8'))).toEqual([])
})

it('finds a long sentence, and no long list or code', () => {
  const words = Array.from({ length: 36 }, () => 'word').join(' ')
  expect(longSentences(`Short. ${words}.`)).toHaveLength(1)
  expect(
    longSentences(`${words.replaceAll(' word', ' word; it')}.\n\n\`\`\`\n${words}\n\`\`\`\n| ${words} |\n`),
  ).toEqual([])
})

it.each(pages)('%s is written in plain words', (page) => {
  expect(found(readFileSync(page, 'utf8'))).toEqual([])
})

it('finds what it looks for', () => {
  expect(found('fine\nIt is made anew, and tells of it.')).toEqual([
    '2: again, or a verb with re-',
    '2: says, lists, reports',
  ])
})
