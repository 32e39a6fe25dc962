import { expect, it } from 'vitest'
import { toCallResult } from '../../../src/agents/mcp/result.js'

it('an error of a full disk says which disk, and what to do', () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const text =
    "ENOSPC: no space left on device, write. The disk of escrow's state directory is full: free space on it, then try again."
  expect(toCallResult({ status: 'failed', error, feedback: [] })).toEqual({
    content: [{ type: 'text', text }],
    isError: true,
  })
})
