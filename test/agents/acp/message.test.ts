import { describe, expect, it } from 'vitest'
import { parseMessage } from '../../../src/agents/acp/message.js'

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
