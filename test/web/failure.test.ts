import { describe, expect, it } from 'vitest'
import { EscrowError } from '../../src/index.js'
import { mergedCommit } from '../../src/review/stage-amender.js'
import { BY_DIFF, BY_MERGE } from '../../src/surface/index.js'
import { toFailure } from '../../src/web/failure.js'

describe('the hint of a refused step, on the review page', () => {
  const hintOf = (error: unknown) => toFailure(error).failure.hint

  it('names the page instead of a command', () => {
    expect(hintOf(mergedCommit([]))).toBe(
      'A merged change needs a new verdict: look at it on this page, approve it, then commit.',
    )
    const drifted = new EscrowError('stale_file', 'Changed.', { hint: `Review them ${BY_DIFF}, or merge ${BY_MERGE}.` })
    expect(hintOf(drifted)).toBe("Review them on this page, or merge with 'Merge disk changes'.")
  })

  it('says what to do about an error of the disk', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    expect(hintOf(full)).toBe('The disk is full. Free space on it, then try again.')
  })

  it('is absent for an error without one', () => {
    expect(hintOf(new Error('It failed.'))).toBeUndefined()
  })
})
