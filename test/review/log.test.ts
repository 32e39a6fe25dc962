import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openReviewLog, type ReviewLog } from '../../src/review/log.js'
import { entryOf } from '../../src/review/record.js'
import type { ReviewRecord } from '../../src/review/record-schema.js'
import { newStagedChange } from './staged.js'

let root: string
let file: string
let log: ReviewLog
const open = () => openReviewLog(file, join(root, 'locks'))
const record = (id: string): ReviewRecord => ({
  kind: 'verdict',
  id,
  at: '2026-01-01T00:00:00.000Z',
  verdict: 'rejected',
  by: { name: 'Ann', email: 'ann@example.org' },
  reason: 'no\nthanks',
  entries: [entryOf(newStagedChange('a', 'x', null))],
})
const ids = (of: ReviewLog) => of.read().map(({ id }) => id)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'escrow-review-'))
  file = join(root, 'sessions', 's1', 'review.jsonl')
  log = open()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('openReviewLog', () => {
  it('appends if nothing was added since the last read, and writes nothing otherwise', async () => {
    await log.append(record('1'))
    const [seen, done]: [readonly ReviewRecord[], string[]] = [log.read(), []]
    const first = (id: string) => async () => {
      done.push(id)
    }
    await open().append(record('2'))
    expect(await log.appendAfter(seen, record('3'), first('3'))).toBe(false)
    expect(await log.appendAfter(log.read(), record('4'), first('4'))).toBe(true)
    expect(ids(open())).toEqual(['1', '2', '4'])
    expect(done).toEqual(['4'])
    const failing = async () => {
      throw new Error('no ledger')
    }
    await expect(log.appendAfter(log.read(), record('5'), failing)).rejects.toThrow('no ledger')
    expect(ids(open())).toEqual(['1', '2', '4'])
  })

  it('is empty before the first append, and returns what was appended, in any process', async () => {
    expect(log.read()).toEqual([])
    await log.append(record('1'))
    await log.append({ kind: 'discard', id: '2', at: 'now', entries: [] })
    await log.append({ kind: 'committed', id: '3', at: 'now', tx: 't', entries: [] })
    expect(open().read()).toEqual([
      record('1'),
      expect.objectContaining({ id: '2' }),
      expect.objectContaining({ tx: 't' }),
    ])
    expect(ids(log)).toEqual(['1', '2', '3'])
  })

  it('appends nothing that it could not read again', async () => {
    await log.append(record('1'))
    const untyped: ReviewRecord = { ...record('2'), ...JSON.parse('{"by":{"name":"Ann","id":7}}') }
    const refusal = expect.objectContaining({ reason: 'unsupported', message: expect.stringContaining('by: ') })
    await expect(log.append(untyped)).rejects.toEqual(refusal)
    let called = false
    const first = async () => {
      called = true
    }
    await expect(log.appendAfter(log.read(), untyped, first)).rejects.toEqual(refusal)
    expect([called, ids(open())]).toEqual([false, ['1']])
  })

  it("reads another process's appends", async () => {
    await log.append(record('1'))
    expect(ids(log)).toEqual(['1'])
    await open().append(record('2'))
    expect(ids(log)).toEqual(['1', '2'])
  })

  it('notices that its contents were replaced, whatever their length', async () => {
    const line = (id: string) => `${JSON.stringify(record(id))}\n`
    const put = (...idsOf: string[]) => writeFileSync(file, idsOf.map(line).join(''))
    await log.append(record('1'))
    put('1', '2')
    expect(ids(log)).toEqual(['1', '2'])
    put('3', '2', '4')
    expect(ids(log)).toEqual(['3', '2', '4'])
    put('5')
    expect(ids(log)).toEqual(['5'])
    writeFileSync(file, `${line('5')}${line('6').slice(0, -1)}`)
    expect(ids(log)).toEqual(['5'])
    appendFileSync(file, `\n${line('7')}`)
    expect(ids(log)).toEqual(['5', '6', '7'])
    appendFileSync(file, `{}\n${line('8')}`)
    expect(() => log.read()).toThrow(expect.objectContaining({ message: expect.stringContaining('line 4') }))
    rmSync(file)
    expect(ids(log)).toEqual([])
  })

  it('loses none of many concurrent appends', async () => {
    const logs = [open(), open(), open()]
    await Promise.all(Array.from({ length: 24 }, (_, index) => logs[index % 3]?.append(record(`${index}`))))
    expect(ids(log).sort()).toEqual(Array.from({ length: 24 }, (_, index) => `${index}`).sort())
  })

  it('ignores a torn last line wherever it was cut, and removes it at the next append', async () => {
    await log.append(record('1'))
    const whole = readFileSync(file)
    const line = JSON.stringify(record('torn'))
    for (const cut of [1, 10, line.length - 1, line.length]) {
      writeFileSync(file, whole)
      appendFileSync(file, line.slice(0, cut))
      expect(ids(open())).toEqual(['1'])
      await open().append(record('2'))
      expect(ids(open())).toEqual(['1', '2'])
      expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(3)
    }
  })

  it('refuses a complete line that is not a record, for reads and appends', async () => {
    await log.append(record('1'))
    const good = readFileSync(file, 'utf8')
    const other = (change: object) => JSON.stringify({ ...record('2'), ...change })
    const badState = { before: { type: 'file', digest: 'sha256:no', mode: 0 }, after: null }
    const wrong = [
      '{',
      '',
      'null',
      other({ kind: 'amen' }),
      other({ verdict: 'maybe' }),
      other({ hunks: ['h_1'] }),
      other({ entries: [{ path: 'a', ...badState }] }),
    ]
    for (const line of wrong) {
      writeFileSync(file, `${good}${line}\n`)
      const failure = expect.objectContaining({ reason: 'ledger_corrupt', message: expect.stringContaining('line 2') })
      expect(() => open().read(), line).toThrow(failure)
      await expect(open().append(record('3'))).rejects.toEqual(failure)
      expect(readFileSync(file, 'utf8')).toBe(`${good}${line}\n`)
    }
  })
})
