import { expect, it } from 'vitest'
import { lineReader } from '../../../src/agents/acp/lines.js'
import { parseMessage } from '../../../src/agents/acp/message.js'

it('lines arrive whole, wherever their bytes are split', () => {
  const bytes = Buffer.from('eins\r\n\nzwölf\nrest')
  for (let cut = 0; cut <= bytes.length; cut++) {
    const lines: string[] = []
    const read = lineReader((line) => lines.push(line))
    read(bytes.subarray(0, cut))
    read(bytes.subarray(cut))
    expect(lines).toEqual(['eins', 'zwölf'])
  }
})

it('a line over the limit is refused before its end', () => {
  const read = lineReader(() => undefined, 8)
  read(Buffer.from('1234567\n1234'))
  expect(() => read(Buffer.from('56789'))).toThrow('A line is longer than 8 bytes.')
})

it.each([
  ['"text"', -32_600],
  ['{"jsonrpc":"2.0"}', -32_600],
  ['{"jsonrpc":"2.0","id":{},"method":"m"}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"method":"m","result":null}', -32_600],
  ['{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":"m"}}', -32_600],
  ['{"id":1,"method":"m"}', -32_600],
  ['{"jsonrpc":"2.0","id":1', -32_700],
])('%s is not a valid message', (line, code) => {
  expect(() => parseMessage(line)).toThrow(expect.objectContaining({ code }))
})
