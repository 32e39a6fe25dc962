import { describe, expect, it } from 'vitest'
import { parseRegistry } from '../../src/intents/parse-registry.js'

const text = (count: number) =>
  `active_intents:\n${Array.from({ length: count }, (_, n) => `- {id: I${n}, name: N, status: PENDING, owned_scope: [m${n}]}\n`).join('')}`
const bytes = (of: string) => new Uint8Array(Buffer.from(of))

describe('parseRegistry', () => {
  it('parses a text once, and each other text separately', () => {
    const first = parseRegistry(bytes(text(3)))
    expect(parseRegistry(bytes(text(3)))).toBe(first)
    expect(parseRegistry(bytes(text(4)))).not.toBe(first)
    for (let n = 5; n < 12; n++) parseRegistry(bytes(text(n)))
    const again = parseRegistry(bytes(text(3)))
    expect(again).not.toBe(first)
    expect(again).toMatchObject({
      ok: true,
      lines: new Map([
        ['I0', 2],
        ['I1', 3],
        ['I2', 4],
      ]),
    })
  })

  it('handles bytes that are not valid text', () => {
    const [one, other] = [Uint8Array.of(0x61, 0xff), Uint8Array.of(0x61, 0xfe)]
    expect(parseRegistry(one)).toMatchObject({ ok: false, problem: { message: expect.stringContaining('UTF-8') } })
    expect(parseRegistry(other)).not.toBe(parseRegistry(one))
  })
})
