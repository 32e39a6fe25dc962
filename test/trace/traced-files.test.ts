import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash } from '../../src/trace/attribution.js'
import { openLedger } from '../../src/trace/ledger.js'
import { tracedIn } from '../../src/trace/traced-files.js'
import { workspaces } from './support.js'

const BLOCK = ['one', 'two']
const HASH = contentHash(BLOCK)
const ranges = [{ start_line: 7, end_line: 8, content_hash: HASH }]
const ai = { entity_type: 'AI', model_identifier: 'old-model' }

describe('records of older shapes', () => {
  const workspace = workspaces()

  async function blameRecords(...lines: object[]) {
    const layout = workspace()
    mkdirSync(`${layout.root}/src`)
    writeFileSync(`${layout.root}/src/a.ts`, 'zero\none\r\ntwo\n')
    writeFileSync(`${layout.ledgerFile}`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return openLedger(layout).blame('src/a.ts')
  }

  it.each<[string, object]>([
    [
      'files with ranges',
      { id: 'R', intent_id: 'INT-1', files: [{ relative_path: 'src/a.ts', contributor: ai, ranges }] },
    ],
    [
      'conversations',
      { id: 'R', intentId: 'INT-1', files: [{ path: 'src/a.ts', conversations: [{ contributor: ai, ranges }] }] },
    ],
  ])('%s: a block is found by its hash, wherever it is now', async (_, record) => {
    const found = { contributor: 'ai', recordId: 'R', intentId: 'INT-1', model: 'old-model', unanchored: true }
    expect(await blameRecords(record)).toEqual([
      { line: 1, contributor: 'unknown' },
      { line: 2, ...found },
      { line: 3, ...found },
    ])
  })

  it('flat: a file is found by its whole content', async () => {
    const flat = { req_id: 'R', intent_id: 'INT-1', file: 'src/a.ts', model_identifier: 'm' }
    const whole = await blameRecords({
      ...flat,
      content_hash: contentHash(['zero', 'one', 'two']),
      ranges: { content_hash: HASH },
    })
    expect(whole.map(({ model }) => model)).toEqual(['m', 'm', 'm'])
    expect((await blameRecords({ ...flat, content_hash: HASH })).map(({ contributor }) => contributor)).toEqual(
      Array(3).fill('unknown'),
    )
  })

  it('has an unknown author without contributor and model', async () => {
    const found = await blameRecords({ id: 'R', files: [{ path: 'src/a.ts', ranges }] })
    expect(found.map(({ contributor }) => contributor)).toEqual(['unknown', 'unknown', 'unknown'])
  })

  it('uses the newest record of a block, and ignores invalid ones', async () => {
    const record = (id: string) => ({ id, files: [{ path: 'src/a.ts', contributor: ai, ranges }] })
    const odd = [
      { files: 7 },
      { files: [null, { path: 4 }] },
      { files: [{ path: 'src/a.ts', ranges: [{ start_line: -1 }] }] },
    ]
    expect((await blameRecords(record('A'), record('B'), ...odd))[1]).toMatchObject({ recordId: 'B' })
  })

  it('attributes a line to the first range that has it, in any order of ranges', () => {
    const bounds = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: -1, max: 3 }))
    const apart = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(2)), { maxLength: 6 }).map((all) => {
      let at = 0
      return all.map(([gap, more]) => {
        const first = at + gap
        at = first + more
        return [first, more] as const
      })
    })
    fc.assert(
      fc.property(fc.oneof(apart, fc.array(bounds, { maxLength: 6 })), (all) => {
        const rows = all.map(([first, more], n) => ({ first, last: first + more, model: `m${n}` }))
        const listed = rows.map(({ first, last, model }) => {
          return { start_line: first, end_line: last, contributor: { model_id: model } }
        })
        const [file] = tracedIn({ id: 'R', files: [{ path: 'a', ranges: listed }] }).files
        for (let line = 0; line < 24; line++) {
          const row = rows.find(({ first, last }) => first <= line + 1 && line + 1 <= last)
          expect(file?.originOf(line).model).toBe(row?.model)
        }
      }),
    )
  })

  it('ignores invalid lines', () => {
    const change = { path: 'a', before: null, after: 'sha256:0' }
    const traceLines = (lines: object) =>
      tracedIn({
        metadata: { 'dev.escrowfs': { type: 'commit', changes: [change], lines: [{ path: 'a', ...lines }] } },
      })
    const print = 'AAAAAAAAAAAA'
    expect(traceLines({ hunks: [[0, 0, 1]], added: print }).files[0]?.change).toMatchObject({ added: [print] })
    for (const lines of [
      { hunks: [[0, 0, 2]], added: print },
      { hunks: [[0, 0]], added: '' },
      {
        hunks: [
          [5, 1, 0],
          [2, 1, 0],
        ],
        added: '',
      },
      { hunks: [], added: 'short' },
      { hunks: [], added: '', base: 3 },
    ]) {
      expect(traceLines(lines).files[0]?.change).toBeUndefined()
    }
  })
})
