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

it.each(pages)('%s is written in plain words', (page) => {
  expect(found(readFileSync(page, 'utf8'))).toEqual([])
})

it('finds what it looks for', () => {
  expect(found('fine\nIt is made anew, and tells of it.')).toEqual([
    '2: again, or a verb with re-',
    '2: says, lists, reports',
  ])
})
