import { expect, it } from 'vitest'
import { rejectionLines } from '../../src/review/index.js'

const linesOfRejection = (reason: string) =>
  rejectionLines({ hunks: [], rejections: [{ reason, by: { name: 'Ada' }, at: '2026-11-29T00:00:00.000Z' }] })

it('shows a reason of one line next to the name', () => {
  expect(linesOfRejection('Not here.\n')).toEqual(['rejected by Ada: Not here.'])
})

it('keeps the lines of a reason, such as the diff of a landing queue', () => {
  expect(linesOfRejection('main has changed:\r\n-old\n+new\n')).toEqual([
    'rejected by Ada: main has changed:',
    '  -old',
    '  +new',
  ])
})

it('truncates a long reason, and says how much it omits', () => {
  const lines = linesOfRejection(Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n'))
  expect(lines).toHaveLength(21)
  expect(lines.slice(-2)).toEqual(['  line 19', '  … 10 more lines'])
})
