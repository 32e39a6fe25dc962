import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/trace/ledger.js'
import { draftOf, workspaces } from './support.js'

const hash = (digit: string): string => `sha256:${digit.repeat(64)}`

describe('export', () => {
  const workspace = workspaces()

  it('lists the formats for an unknown one', async () => {
    await expect(openLedger(workspace()).export('xml')).rejects.toMatchObject({
      reason: 'unsupported',
      hint: 'Use jsonl, agent-trace, flat, csv or git-ai.',
    })
  })

  it('jsonl is the unchanged file', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await ledger.append([draftOf(), draftOf({ words: 'é' })])
    expect(await ledger.export('jsonl')).toBe(readFileSync(`${layout.ledgerFile}`, 'utf8'))
  })

  it('flat has one entry for each file of each record, in the format of older tools', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    const ranges = [{ startLine: 1, endLine: 2, contentHash: hash('1') }]
    await ledger.append([
      draftOf({
        type: 'commit',
        timestamp: '2026-02-18T12:00:00.000Z',
        reqId: 'REQ-1',
        agent: { model: 'm-1' },
        files: [
          { path: 'a.ts', ranges, mutationClass: 'AST_REFACTOR' },
          { path: 'b.ts', ranges, contributor: 'human' },
        ],
        changes: [{ path: 'a.ts', before: null, after: hash('2') }],
      }),
      draftOf({ type: 'denied', reason: 'scope_violation', path: 'c.ts', intent: null }),
    ])
    const older = { req_id: 'R0', file: 'old.ts', related: ['R0'] }
    const nested = {
      intent_id: 'INT-9',
      mutation_class: 'INTENT_EVOLUTION',
      files: [{ relative_path: 'n.ts', conversations: [{ ranges: [{ content_hash: hash('3') }] }] }],
    }
    appendFileSync(`${layout.ledgerFile}`, `${JSON.stringify(older)}\n${JSON.stringify(nested)}\n`)
    const flat = (await ledger.export('flat'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(flat).toEqual([
      {
        req_id: 'REQ-1',
        intent_id: 'INT-001',
        file: 'a.ts',
        timestamp: '2026-02-18T12:00:00.000Z',
        mutation_class: 'AST_REFACTOR',
        content_hash: hash('2'),
        model_identifier: 'm-1',
        related: ['REQ-1', 'INT-001'],
        ranges: { content_hash: hash('1') },
      },
      expect.objectContaining({ file: 'b.ts', content_hash: hash('1'), mutation_class: null }),
      expect.objectContaining({ file: 'c.ts', intent_id: null, content_hash: null, related: [] }),
      older,
      expect.objectContaining({ file: 'n.ts', content_hash: hash('3'), mutation_class: 'INTENT_EVOLUTION' }),
    ])
    expect(flat[1]).not.toHaveProperty('model_identifier')
  })

  it('csv has no cell that a spreadsheet evaluates as a formula', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1+1', '＠SUM(A1)', '=HYPERLINK("a", "b")']
    await ledger.append(formulas.map((words) => draftOf({ words })))
    const [, ...rows] = (await ledger.export('csv')).trimEnd().split('\n')
    expect(rows).toHaveLength(formulas.length)
    // The reason is the last column.
    for (const row of rows) expect(row).toMatch(/,"?'[=+\-@＝＠^\t][^']*$/)
  })

  it('flat escapes control and invisible characters', async () => {
    const layout = workspace()
    writeFileSync(`${layout.ledgerFile}`, `${JSON.stringify({ file: 'a\u009b\u202e\u{e0041}', req_id: 'R' })}\n`)
    const flat = await openLedger(layout).export('flat')
    expect(flat.trimEnd()).not.toMatch(/\p{C}/u)
    expect(JSON.parse(flat)).toEqual({ file: 'a\u009b\u202e\u{e0041}', req_id: 'R' })
  })

  it('csv names control and invisible characters, and keeps line ends', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    const agent = { model: 'm\u001b]0;x\u0007\u202e' }
    await ledger.append([draftOf({ agent, words: 'one\ntwo\u0000\u009b' }), draftOf({ words: '\u001b=1' })])
    const csv = await ledger.export('csv')
    expect(csv).toContain(',m^[]0;x^G<U+202E>,')
    expect(csv).toContain('"one\ntwo^@<U+009B>"')
    expect(csv.replaceAll('\n', '')).not.toMatch(/\p{C}/u)
  })
})
