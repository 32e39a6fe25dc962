import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/trace/ledger.js'
import { collect, drafts, linesOf, metadataOf, rechain, workspaces } from './support.js'

const sha = (line: string): string => createHash('sha256').update(line).digest('hex')

describe('lines of other tools', () => {
  const workspace = workspaces()
  const OLD = ['{"file":"a.ts","req_id":"R1"}', '{ "id": "1", "files": [] }', '{"metadata":{"other":{"seq":9}}}']

  it('stay unchanged, and are covered by the chain', async () => {
    const layout = workspace()
    const older = OLD.map((line) => `${line}\n`).join('')
    writeFileSync(`${layout.ledgerFile}`, older)
    const ledger = openLedger(layout)
    await ledger.append(drafts(2))
    appendFileSync(`${layout.ledgerFile}`, older)
    await ledger.append(drafts(1))
    const lines = linesOf(layout)
    expect(readFileSync(`${layout.ledgerFile}`, 'utf8').startsWith(older)).toBe(true)
    expect(lines.slice(5, 8)).toEqual(OLD)
    expect(metadataOf(lines[3] ?? '')).toMatchObject({ seq: 1, prev: sha(OLD[2] ?? ''), foreign: { lines: 3 } })
    expect(metadataOf(lines[8] ?? '')).toMatchObject({ seq: 3, prev: sha(OLD[2] ?? ''), foreign: { lines: 3 } })
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 9, anchored: 3, foreign: 6 })
    expect(await collect(ledger.records())).toHaveLength(9)
  })

  it('cannot be changed, dropped or added without notice once covered', async () => {
    const layout = workspace()
    writeFileSync(`${layout.ledgerFile}`, OLD.map((line) => `${line}\n`).join(''))
    await openLedger(layout).append(drafts(2))
    const lines = linesOf(layout)
    const tampered = [
      lines.with(0, '{"file":"b.ts","req_id":"R1"}'),
      lines.slice(1),
      [...OLD, ...lines],
      [lines[1], lines[0], ...lines.slice(2)],
    ]
    for (const mutant of tampered) {
      writeFileSync(`${layout.ledgerFile}`, mutant.map((line) => `${line}\n`).join(''))
      expect((await openLedger(layout).verify()).ok).toBe(false)
    }
  })

  it('do not prevent the next record from naming the one before them', async () => {
    const layout = workspace()
    await openLedger(layout).append(drafts(2))
    appendFileSync(`${layout.ledgerFile}`, `${OLD[0]}\n`)
    await openLedger(layout).append(drafts(1))
    const lines = linesOf(layout)
    expect(metadataOf(lines[3] ?? '')).toMatchObject({ foreign: { lines: 1, after: sha(lines[1] ?? '') } })
    const [first, second] = [lines[0] ?? '', lines[1] ?? '']
    const forged = [first.replace('"INT-001"', '"INT-002"'), second.replace('"INT-001"', '"INT-002"')]
    // As for a hub or another machine: without the copies and anchors of this one.
    for (const mutant of [rechain([forged[0] ?? '', second], 0), [first, forged[1] ?? '']]) {
      const otherWorkspace = workspace()
      writeFileSync(`${otherWorkspace.ledgerFile}`, [...mutant, ...lines.slice(2)].map((line) => `${line}\n`).join(''))
      expect((await openLedger(otherWorkspace).verify()).ok).toBe(false)
    }
    const otherWorkspace = workspace()
    writeFileSync(`${otherWorkspace.ledgerFile}`, lines.map((line) => `${line}\n`).join(''))
    expect((await openLedger(otherWorkspace).verify()).ok).toBe(true)
  })

  it('may end several branches that a person joins', async () => {
    const base = workspace()
    await openLedger(base).append(drafts(1))
    const common = readFileSync(`${base.ledgerFile}`, 'utf8')
    const branches: string[] = []
    for (const records of [1, 2, 3]) {
      const layout = workspace()
      writeFileSync(`${layout.ledgerFile}`, common)
      await openLedger(layout).append(drafts(records))
      appendFileSync(`${layout.ledgerFile}`, `${OLD[0]}\n`)
      branches.push(readFileSync(`${layout.ledgerFile}`, 'utf8').slice(common.length))
    }
    const merged = workspace()
    writeFileSync(`${merged.ledgerFile}`, common + branches.join(''))
    const ledger = openLedger(merged)
    await ledger.join({ name: 'Ada' })
    expect(metadataOf(linesOf(merged).at(-1) ?? '')).toMatchObject({ type: 'merge', joins: [{}, {}] })
    expect(await ledger.verify()).toMatchObject({ ok: true })
    // Git may place the branches in another order elsewhere.
    const otherWorkspace = workspace()
    const end = `${linesOf(merged).at(-1)}\n`
    writeFileSync(`${otherWorkspace.ledgerFile}`, common + branches.toReversed().join('') + end)
    expect(await openLedger(otherWorkspace).verify()).toMatchObject({ ok: true })
  })

  it('are refused by every reader if they are nested too deep for one of them', async () => {
    const layout = workspace()
    const nestedJson = (depth: number) => `{"file":"a.ts","x":${'['.repeat(depth)}${']'.repeat(depth)}}\n`
    writeFileSync(`${layout.ledgerFile}`, nestedJson(400))
    await openLedger(layout).append(drafts(1))
    expect((await openLedger(layout).verify()).ok).toBe(true)
    writeFileSync(`${layout.ledgerFile}`, `${nestedJson(100_000)}${nestedJson(1)}`)
    const ledger = openLedger(layout)
    expect((await ledger.verify()).firstBad?.reason).toContain('nested deeper than 500 levels')
    for (const read of [() => collect(ledger.records()), () => ledger.export('flat')])
      await expect(read()).rejects.toThrow('nested deeper than 500 levels')
  })

  it('keep an incomplete last one', async () => {
    const layout = workspace()
    writeFileSync(`${layout.ledgerFile}`, OLD.join('\n'))
    await openLedger(layout).append(drafts(1))
    const lines = linesOf(layout)
    expect(lines.slice(0, 3)).toEqual(OLD)
    expect(lines.slice(3).map((line) => metadataOf(line).type)).toEqual(['recovered', 'tool_call'])
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 5, anchored: 2, foreign: 3 })
  })
})
