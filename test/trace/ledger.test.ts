import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { layoutOf } from '../../src/core/layout.js'
import { openLedger } from '../../src/trace/ledger.js'
import { MAX_LINE } from '../../src/trace/lines.js'
import { validateTrace } from '../support/trace-schema.js'
import { collect, draftOf, drafts, linesOf, metadataOf, workspaces } from './support.js'

const sha = (line: string): string => createHash('sha256').update(line).digest('hex')

describe('the ledger', () => {
  const workspace = workspaces()

  it('writes nothing before the first append', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    expect(await ledger.verify()).toEqual({ ok: true, records: 0 })
    expect(await ledger.head()).toBeUndefined()
    expect(await ledger.append([])).toEqual([])
    expect(await ledger.export('jsonl')).toBe('')
    expect(await collect(ledger.records())).toEqual([])
    expect(readdirSync(layout.dir)).toEqual([])
  })

  it('chains each line to the exact bytes of the line before', async () => {
    const layout = workspace()
    await openLedger(layout).append(drafts(3))
    await openLedger(layout).append([draftOf({ words: 'ünïcödé 🌍 \u2028' })])
    await openLedger(layout).append(drafts(1))
    const lines = linesOf(layout)
    expect(lines.map((line) => metadataOf(line).seq)).toEqual([1, 2, 3, 4, 5])
    expect(lines.map((line) => metadataOf(line).prev)).toEqual([null, ...lines.slice(0, -1).map(sha)])
    expect(new Set(lines.map((line) => metadataOf(line).ledger)).size).toBe(1)
    for (const line of lines) expect(validateTrace(JSON.parse(line))).toBe('')
  })

  it('resolves to the records as written, and streams them', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    const written = [...(await ledger.append(drafts(2))), ...(await ledger.append(drafts(1)))]
    expect(linesOf(layout).map((line) => JSON.parse(line))).toEqual(written)
    expect(await collect(ledger.records())).toEqual(written)
  })

  it('keeps the order of concurrent appends in one process', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    const records = drafts(20)
    await Promise.all(records.map((draft) => ledger.append([draft])))
    expect(linesOf(layout).map((line) => JSON.parse(line).id)).toEqual(records.map((draft) => draft.id))
    expect(await ledger.verify()).toEqual({ ok: true, records: 20, anchored: 20 })
  })

  it('keeps the newest lines in ledger.d under their numbers in the chain', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    for (const draft of drafts(30)) await ledger.append([draft])
    const lines = linesOf(layout)
    const nameOf = (seq: number) => `${seq}-${sha(lines[seq - 2] ?? '').slice(0, 16)}-none`
    const expected = [23, 24, 25, 26, 27, 28, 29, 30]
    expect(readdirSync(layout.ledgerDir).sort()).toEqual(expected.map(nameOf))
    for (const seq of expected) expect(readFileSync(`${layout.ledgerDir}/${nameOf(seq)}`, 'utf8')).toBe(lines[seq - 1])
  })

  it('does not treat an old number that a suspended process linked again as a copy', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await ledger.append(drafts(20))
    const late = `5-${'a'.repeat(16)}-none`
    writeFileSync(`${layout.ledgerDir}/${late}`, JSON.stringify({ id: 'late' }))
    expect(await ledger.verify()).toEqual({ ok: true, records: 20, anchored: 20 })
    await openLedger(layout).append(drafts(1))
    expect(readdirSync(layout.ledgerDir)).not.toContain(late)
  })

  it('appends a draft once, however often that is repeated', async () => {
    const layout = workspace()
    const draft = draftOf({ type: 'commit', tx: 'tx-1' })
    const first = await openLedger(layout).appendOnce(draft)
    await openLedger(layout).append(drafts(12))
    expect(await openLedger(layout).appendOnce(draft)).toEqual(first)
    const both = openLedger(layout)
    const next = draftOf()
    const [a, b] = await Promise.all([both.appendOnce(next), both.appendOnce(next)])
    expect(a).toEqual(b)
    expect(linesOf(layout)).toHaveLength(14)
  })

  it('finds a draft that was published and not written to the file', async () => {
    const layout = workspace()
    const draft = draftOf()
    const [record] = await openLedger(layout).append([draft])
    rmSync(`${layout.ledgerFile}`)
    expect(await openLedger(layout).appendOnce(draft)).toEqual(record)
    expect(linesOf(layout).map((line) => metadataOf(line).type)).toEqual(['tool_call', 'recovered'])
  })

  it('names its head', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await ledger.append(drafts(2))
    const bytes = readFileSync(`${layout.ledgerFile}`)
    const line = linesOf(layout)[1] ?? ''
    expect(await ledger.head()).toEqual({
      ledger: metadataOf(line).ledger,
      seq: 2,
      hash: sha(line),
      size: bytes.length,
    })
    appendFileSync(`${layout.ledgerFile}`, '{"older":true}\n')
    expect(await ledger.head()).toMatchObject({ seq: 2, size: bytes.length })
  })

  it('reads what another process appended', async () => {
    const layout = workspace()
    const [one, two] = [openLedger(layout), openLedger(layout)]
    await one.append(drafts(1))
    await two.append(drafts(1))
    await one.append(drafts(1))
    expect(await two.verify()).toEqual({ ok: true, records: 3, anchored: 3 })
    expect(await one.head()).toEqual(await two.head())
  })

  it('names the revision of the repository', async () => {
    const layout = workspace()
    mkdirSync(`${layout.root}/.git`)
    writeFileSync(`${layout.root}/.git/HEAD`, 'a'.repeat(40))
    const [record] = await openLedger(layout).append(drafts(1))
    expect(record).toMatchObject({ vcs: { type: 'git', revision: 'a'.repeat(40) } })
  })

  it('refuses unsupported calls with a reason', async () => {
    const ledger = openLedger(workspace())
    await expect(ledger.blame('a')).rejects.toMatchObject({ reason: 'nothing_selected' })
    await expect(ledger.export('xml')).rejects.toMatchObject({ reason: 'unsupported' })
  })

  it('refuses a record that is too long, and continues', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await expect(ledger.append([draftOf({ words: 'x'.repeat(MAX_LINE) })])).rejects.toMatchObject({
      reason: 'limit_exceeded',
    })
    await ledger.append(drafts(1))
    expect(await ledger.verify()).toEqual({ ok: true, records: 1, anchored: 1 })
  })

  it('refuses an invalid draft, and continues', async () => {
    const layout = workspace()
    const ledger = openLedger(layout)
    await expect(ledger.append([draftOf(), draftOf({ id: 'x' })])).rejects.toMatchObject({
      reason: 'ledger_unavailable',
    })
    await ledger.append(drafts(1))
    expect((await ledger.verify()).ok).toBe(true)
  })

  it('is named if it cannot be written', async () => {
    const layout = workspace()
    mkdirSync(`${layout.ledgerFile}`)
    await expect(openLedger(layout).append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_unavailable' })
    writeFileSync(`${layout.root}/none`, '')
    const gone = layoutOf(`${layout.root}/none`, layout.state)
    await expect(openLedger(gone).append(drafts(1))).rejects.toMatchObject({ reason: 'ledger_unavailable' })
  })
})
