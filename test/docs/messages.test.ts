import { expect, it } from 'vitest'
import {
  findMessages,
  type Message,
  messagesOf,
  messagesPage,
  SURFACES,
  type Surface,
} from '../../scripts/docs/messages.js'
import { badHabits, longSentences } from './plain-words.js'

const all = findMessages()

function locateMessages(holds: (message: Message) => boolean, from = all): string[] {
  return from
    .filter(({ surface }) => surface !== 'node')
    .filter(holds)
    .map(({ file, line, text }) => `${file}:${line}: ${text}`)
}

it.each(Object.entries(SURFACES))('has a section for %s', (surface, title) => {
  const count = all.filter((each) => each.surface === surface).length
  expect(count).toBeGreaterThan(5)
  expect(messagesPage(all)).toContain(`\n## ${title} (${count})\n`)
})

it.each([
  // DESIGN.md defines these texts.
  [
    'denials',
    'You must cite a valid active Intent ID. Call select_active_intent first before using destructive tools.',
  ],
  ['denials', 'Scope Violation: <intentId> is not authorized to edit <name>. Request scope expansion.'],
  ['denials', 'Stale File: <asked> changed on disk since you read it. Read it again, then retry.'],
  ['help', "list a session's snapshots"],
  ['prompts', 'Accept these files on this machine?'],
  ['output', 'No snapshots.'],
  ['doctor', 'This machine can contain commands.'],
  ['terminal', 'Approve all but what is rejected, in conflict or changed on disk: <approvable>?'],
  ['page', 'Nothing is staged.'],
  ['editor', 'Approve and commit <count> staged change(|s)?'],
  ['tools', 'Successfully wrote to <path>'],
] satisfies [Surface, string][])('lists under %s: %s', (surface, text) => {
  expect(all).toContainEqual(expect.objectContaining({ surface, text }))
})

it('shows values by name, joins concatenations and alternatives, and skips code', () => {
  const source = `
    throw new EscrowError('wrong', \`There is no \${what.kind} \${oneLine(id)}.\` + (isOpen ? ' It is open.' : ''), { hint: 'Give it an id.' })
    if (name === 'some other words' || text.startsWith('a few words')) import('./some file.js')
    const element = <p className="one two">Nothing is in {name}. <b aria-label="Close">x</b></p>
  `
  expect(messagesOf('src/core/sample.tsx', source).map(({ surface, line, text }) => [surface, line, text])).toEqual([
    ['errors', 2, 'There is no <kind> <id>.( It is open.|)'],
    ['hints', 2, 'Give it an id.'],
    ['other', 4, 'Nothing is in <name>. x'],
  ])
})

const isShort = ({ text }: Message) => longSentences(text.replaceAll('`', '')).length === 0
const isPlain = ({ text }: Message) => badHabits(text).length === 0
/** A function of the library, or a method. */
const namesFunction = ({ text }: Message) => /\b[a-z]\w*\(\)|\b[a-z]+[A-Z]\w*\(/.test(text)
/** Matches a whole sentence: it starts with a capital, and does not end with a value or command. */
const isCutOff = ({ surface, text }: Message) =>
  ['denials', 'errors', 'cli-errors'].includes(surface) &&
  /^(?:escrow: )?[A-Z]\S* \S+ /.test(text) &&
  !/[.?:>)'`|]$/.test(text)

it('has no sentence over 35 words', () => {
  expect(locateMessages((message) => !isShort(message))).toEqual([])
})

it('is written in plain words', () => {
  expect(locateMessages((message) => !isPlain(message))).toEqual([])
})

it('names no function of the library', () => {
  expect(locateMessages(namesFunction)).toEqual([])
})

it('ends each error with a full stop or a command', () => {
  expect(locateMessages(isCutOff)).toEqual([])
})

it('finds violations', () => {
  const sample = (text: string): Message => ({ surface: 'errors', file: 'src/a.ts', line: 1, text })
  const longText = Array.from({ length: 36 }, () => 'word').join(' ')
  expect(isShort(sample(longText))).toBe(false)
  expect(isPlain(sample('It was written anew.'))).toBe(false)
  expect(namesFunction(sample('Look at changes() again.'))).toBe(true)
  expect(isCutOff(sample('The disk failed'))).toBe(true)
})
