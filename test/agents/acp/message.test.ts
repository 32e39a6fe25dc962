import { describe, expect, it } from 'vitest'
import { parseMessage, toRpcError } from '../../../src/agents/acp/message.js'

describe('parseMessage', () => {
  it.each([
    ['"text"', -32_600],
    ['{"jsonrpc":"2.0"}', -32_600],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"method":"m","result":null}', -32_600],
    ['{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}', -32_600],
    ['{"id":1,"method":"m"}', -32_600],
    ['{"jsonrpc":"2.0","id":1', -32_700],
  ])('refuses %s', (line, code) => {
    expect(() => parseMessage(line)).toThrow(expect.objectContaining({ code }))
  })
})

it('an error of a full disk says which disk, and what to do', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(toRpcError(full).message).toBe(
    "ENOSPC: no space left on device, write. The disk of escrow's state directory is full: free space on it, then try again.",
  )
})
