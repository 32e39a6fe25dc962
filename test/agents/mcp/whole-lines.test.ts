import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LongMessageError, wholeLines } from '../../../src/agents/mcp/whole-lines.js'

/** The chunks that come out for the chunks that go in. */
async function passed(chunks: readonly string[], maxBytes = 1_000): Promise<string[]> {
  const out: string[] = []
  for await (const chunk of Readable.from(chunks.map((each) => Buffer.from(each))).compose(wholeLines(maxBytes)))
    out.push(String(chunk))
  return out
}

describe('wholeLines', () => {
  it('passes on every whole line, and no chunk that ends within one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n'), minLength: 1 })), async (chunks) => {
        const out = await passed(chunks)
        const text = chunks.join('')
        expect(out.join('')).toBe(text.slice(0, text.lastIndexOf('\n') + 1))
        for (const chunk of out) expect(chunk.endsWith('\n')).toBe(true)
      }),
    )
  })

  it.each([
    ['in one chunk', ['123456\n']],
    ['in parts', ['1234', '56\n']],
    ['without an end', ['1234', '56']],
  ])('refuses a line over the limit %s', async (_how, chunks) => {
    await expect(passed(chunks, 5)).rejects.toThrow(LongMessageError)
  })

  it('takes lines up to the limit, however many a chunk completes', async () => {
    const lines = '12345\n'.repeat(10)
    expect(
      await buffer(Readable.from([Buffer.from(`123`), Buffer.from(`45\n${lines}`)]).compose(wholeLines(5))),
    ).toEqual(Buffer.from(`12345\n${lines}`))
  })
})
