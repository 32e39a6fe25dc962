import { expect, it } from 'vitest'
import { briefCommand, commandLines } from '../../src/core/command-text.js'

it.each([
  ['npm test', 'npm test'],
  ['npm test\n', 'npm test'],
  ['cd a\nnpm test', 'cd a … (1 more line)'],
  ['cd a \r\nls\r\nnpm test', 'cd a … (2 more lines)'],
])('%j is shortened to %j', (command, brief) => {
  expect(briefCommand(command)).toBe(brief)
})

it('keeps the empty lines of a script', () => {
  expect(commandLines('a\n\nb\n')).toEqual(['a', '', 'b'])
})
