import { appendFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { MAX_LINE } from '../../src/trace/lines.js'
import { collect, workspaces } from './support.js'

/** The records in an order, or the error. */
async function read(layout: Layout, order: 'oldest' | 'newest'): Promise<unknown> {
  return collect(openLedger(layout).records({ order })).catch((error: unknown) => error)
}

/** Lines of all kinds: records shorter and longer than a chunk of the file, and lines that are not records. */
const aRecord = fc
  .tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(0, 0, 0, 65_500, 140_000))
  .map(([text, length]) => JSON.stringify({ text, more: 'é'.repeat(length / 2) }))
const anyLine = fc.oneof(
  { arbitrary: aRecord, weight: 9 },
  { arbitrary: fc.constantFrom('', 'no JSON', '[]', '<<<<<<< ours'), weight: 1 },
)

describe('the records of a ledger, newest first', () => {
  const workspace = workspaces()

  it('are those of the other order, or its error, for any lines and any end', async () => {
    const layout = workspace()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLine, { maxLength: 12 }),
        fc.constantFrom('', '{"torn":', '{"whole":1}', 'x'.repeat(70_000)),
        async (lines, end) => {
          writeFileSync(`${layout.ledgerFile}`, `${lines.map((line) => `${line}\n`).join('')}${end}`)
          const forward = await read(layout, 'oldest')
          const backward = await read(layout, 'newest')
          expect(Array.isArray(backward) ? backward.reverse() : backward).toEqual(forward)
        },
      ),
    )
  })

  it('are read up to a line that is too long, and not beyond', async () => {
    const layout = workspace()
    const long = JSON.stringify({ text: 'x'.repeat(MAX_LINE) })
    writeFileSync(`${layout.ledgerFile}`, `{"n":1}\n${long}\n{"n":2}\n`)
    const records = openLedger(layout).records({ order: 'newest' })[Symbol.asyncIterator]()
    expect(await records.next()).toEqual({ done: false, value: { n: 2 } })
    await expect(records.next()).rejects.toThrow(/line 2 is longer than 16 MiB/)
  })

  it('are not read if the file ends in a line that is too long', async () => {
    const layout = workspace()
    for (const length of [MAX_LINE + 1, MAX_LINE + 70_000]) {
      writeFileSync(`${layout.ledgerFile}`, `{"n":1}\n${'x'.repeat(length)}`)
      for (const order of ['oldest', 'newest'] as const)
        expect(await read(layout, order)).toMatchObject({
          message: expect.stringMatching(/line 2 is longer than 16 MiB/),
        })
    }
  })

  it('do not include those that are appended meanwhile', async () => {
    const layout = workspace()
    writeFileSync(`${layout.ledgerFile}`, '{"n":1}\n{"n":2}\n')
    const found: unknown[] = []
    for await (const record of openLedger(layout).records({ order: 'newest' })) {
      appendFileSync(`${layout.ledgerFile}`, '{"n":3}\n')
      found.push(record)
    }
    expect(found).toEqual([{ n: 2 }, { n: 1 }])
  })

  it('are not read if there is no ledger', async () => {
    expect(await read(workspace(), 'newest')).toEqual([])
  })
})
