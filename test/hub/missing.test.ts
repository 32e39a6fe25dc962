import { expect, it } from 'vitest'
import { describeMissing } from '../../src/hub/missing.js'
import { createChange } from '../hub/fixtures.js'

it.each([
  [{}, ''],
  [{ missing: { approvals: 1, owners: [], rejectedBy: [] } }, ''],
  [{ missing: { approvals: 2, owners: [], rejectedBy: [] } }, 'It needs 2 approvals.'],
  [
    { approvedBy: ['Ada'], missing: { approvals: 1, owners: [['@bo', '@x/y'], ['@cy']], rejectedBy: ['D\u202e'] } },
    'Approved by Ada. The rejection by D<U+202E> applies until they approve. It needs 1 more approval. It needs the approval of one of @bo, @x/y. It needs the approval of its owner @cy.',
  ],
])('the description of %j is: %s', (change, text) => {
  expect(describeMissing(Object.assign(createChange('a'), { key: 'k' }, change))).toBe(text)
})
