import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { badComments, badHabits, longSentences } from './plain-words.js'

const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']
  .concat(readdirSync('docs').map((name) => `docs/${name}`))
  .concat(readdirSync('docs/hosts').map((name) => `docs/hosts/${name}`))
  .concat(readdirSync('docs/decisions').map((name) => `docs/decisions/${name}`))
  .filter((name) => name.endsWith('.md'))

const guides = pages.filter((page) => page === 'README.md' || page.startsWith('docs/'))

it.each(guides)('%s has no sentence over 35 words', (page) => {
  expect(longSentences(readFileSync(page, 'utf8'))).toEqual([])
})

it('finds a long sentence, but not a long list or code', () => {
  const longText = Array.from({ length: 36 }, () => 'word').join(' ')
  expect(longSentences(`Short. ${longText}.`)).toHaveLength(1)
  expect(
    longSentences(`${longText.replaceAll(' word', ' word; it')}.\n\n\`\`\`\n${longText}\n\`\`\`\n| ${longText} |\n`),
  ).toEqual([])
})

it.each(pages)('%s is written in plain words', (page) => {
  expect(badHabits(readFileSync(page, 'utf8'))).toEqual([])
})

const rooms = ['overlay', 'src', 'web/src', 'scripts', 'test/support', 'test/children', 'test/attacks', 'test/crash']
const sources = rooms.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|tsx|mjs)$/.test(name))
    .map((name) => `${folder}/${name}`),
)

it('comments are written in plain words', () => {
  expect(sources.length).toBeGreaterThan(600)
  const findBadComments = (file: string) => badComments(readFileSync(file, 'utf8')).map((each) => `${file}:${each}`)
  expect(sources.flatMap(findBadComments)).toEqual([])
})

it('finds violations in comments, over line ends too, but not in code', () => {
  const source = [
    "const stands = 'unless told' // fine",
    '/**',
    ' * The root unless',
    ' * told.',
    ' */',
    'const a = 1 // Undefined where it stands.',
    '  // The earliest first. It stands for good reason.',
  ].join('\n')
  expect(badComments(source)).toEqual(['2: by default', '6: is, exists, applies', '6: if', '7: oldest first'])
})

it('finds violations', () => {
  expect(badHabits('fine\nIt is made anew, and tells of it.')).toEqual([
    '2: again, or a verb with re-',
    '2: says, lists, reports',
  ])
})
