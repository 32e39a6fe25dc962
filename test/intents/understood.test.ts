import { describe, expect, it } from 'vitest'
import { understand } from '../../src/intents/understood.js'

const text = (count: number) =>
  `active_intents:\n${Array.from({ length: count }, (_, n) => `- {id: I${n}, name: N, status: PENDING, owned_scope: [m${n}]}\n`).join('')}`
const bytes = (of: string) => new Uint8Array(Buffer.from(of))

describe('understand', () => {
  it('parses a text once, and each other text by itself', () => {
    const first = understand(bytes(text(3)))
    expect(understand(bytes(text(3)))).toBe(first)
    expect(understand(bytes(text(4)))).not.toBe(first)
    for (let n = 5; n < 12; n++) understand(bytes(text(n)))
    const again = understand(bytes(text(3)))
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

  it('takes bytes that are no text for themselves', () => {
    const [one, other] = [Uint8Array.of(0x61, 0xff), Uint8Array.of(0x61, 0xfe)]
    expect(understand(one)).toMatchObject({ ok: false, problem: { message: expect.stringContaining('UTF-8') } })
    expect(understand(other)).not.toBe(understand(one))
  })
})
