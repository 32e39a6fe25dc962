import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toHistoryEntry } from '../../src/trace/history-entry.js'
import { fileChangesOf, OWN, ownRecord, ownRecordOf, TRACE_TYPES } from '../../src/trace/own-record.js'
import { buildRecord } from '../../src/trace/record.js'
import { tracedIn } from '../../src/trace/traced-files.js'
import { draftOf } from './support.js'

const recordOf = (fields: unknown) => ({ metadata: { [OWN]: fields } })

describe('ownRecord', () => {
  it('reads the fields of a record by its type', () => {
    const command = ownRecord(recordOf({ type: 'command', command: 'npm test', exit_code: 1, seq: 4 }))
    expect(command).toEqual({ type: 'command', command: 'npm test', exit_code: 1, seq: 4 })
  })

  it('returns undefined for a record of another tool', () => {
    for (const record of [{}, { metadata: null }, { metadata: { other: {} } }, recordOf([]), recordOf('commit')])
      expect(ownRecord(record)).toBeUndefined()
  })

  it('reads the shared fields of a record whose type it does not know', () => {
    const fields = ownRecord(recordOf({ type: 'from_the_future', intent: 'INT-001', exit_code: 1 }))
    expect(fields).toEqual({ type: undefined, name: 'from_the_future', intent: 'INT-001' })
    expect(toHistoryEntry(recordOf({ type: 'from_the_future' }))).toMatchObject({ what: 'from_the_future' })
  })

  it('reads a damaged field as absent, and keeps the others', () => {
    const fields = ownRecord(
      recordOf({ type: 'denied', path: 7, reason: 'scope_violation', reviewer: 'Ada', again: -1 }),
    )
    expect(fields).toEqual({ type: 'denied', reason: 'scope_violation' })
  })

  it('drops a damaged item of a list, and keeps the others', () => {
    const changes = [{ path: 'a', before: null, after: 'sha256:1' }, 'b', { path: 3 }, { path: 'c', mutation: 1 }]
    const fields = ownRecordOf(recordOf({ type: 'commit', changes, approved_by: ['Ada', 7] }), 'commit')
    expect(fields?.changes).toEqual([
      { path: 'a', before: null, after: 'sha256:1' },
      { path: 'c', before: null, after: null },
    ])
    expect(fields?.approved_by).toEqual(['Ada'])
  })

  it('drops the lines of a file if one hunk is damaged', () => {
    const lines = [{ path: 'a', hunks: [[0, 0, 1], [5]], added: 'abcdefghijkl' }]
    expect(ownRecordOf(recordOf({ type: 'commit', lines }), 'commit')?.lines).toEqual([])
  })

  it('never throws, whatever the fields are', () => {
    const names = Object.keys(buildRecord(draftOf(), { ledger: 'l', seq: 1, prev: null }, undefined))
    const keys = fc.constantFrom(...names, 'changes', 'lines', 'agent', 'approved_by', 'approvedBy', 'now', '__proto__')
    const anyFields = fc.dictionary(keys, fc.anything())
    fc.assert(
      fc.property(fc.constantFrom(...TRACE_TYPES, 'other', 7), anyFields, (type, fields) => {
        const record = recordOf({ ...fields, type })
        expect(ownRecord(record)?.type).toBe(TRACE_TYPES.find((each) => each === type))
        tracedIn(record)
      }),
    )
  })
})

describe('ownRecordOf', () => {
  it('returns undefined for a record of another type', () => {
    expect(ownRecordOf(recordOf({ type: 'denied' }), 'commit', 'undo')).toBeUndefined()
    expect(ownRecordOf(recordOf({ type: 'undo' }), 'commit', 'undo')).toEqual({ type: 'undo' })
  })
})

describe('names of earlier versions', () => {
  const change = { path: 'a', before: null, after: 'sha256:1' }

  it('reads approvedBy as approved_by', () => {
    const record = recordOf({ type: 'commit', changes: [change], approvedBy: ['Ada', 'Ben'] })
    expect(ownRecordOf(record, 'commit')?.approved_by).toEqual(['Ada', 'Ben'])
    const lines = [{ path: 'a', ranges: [{ start_line: 1, end_line: 1 }] }]
    const [file] = tracedIn({ ...record, files: lines }).files
    expect(file?.originOf(0)).toMatchObject({ approvedBy: 'Ada, Ben' })
  })

  it('reads toolVersion of an agent, intentId of a claim, and told of a denial', () => {
    const agent = { tool: 'codex', toolVersion: '2' }
    expect(ownRecord(recordOf({ type: 'commit', agent }))?.agent).toEqual({ tool: 'codex', tool_version: '2' })
    const claims = [{ session: 'one', intentId: 'INT-001', path: 'a' }]
    expect(ownRecordOf(recordOf({ type: 'intent_selected', claims }), 'intent_selected')?.claims).toEqual([
      { session: 'one', intent_id: 'INT-001', path: 'a' },
    ])
    expect(ownRecordOf(recordOf({ type: 'denied', told: true }), 'denied')?.reported).toBe(true)
  })

  it('prefers a current name', () => {
    const fields = ownRecordOf(recordOf({ type: 'commit', approvedBy: ['Old'], approved_by: ['New'] }), 'commit')
    expect(fields?.approved_by).toEqual(['New'])
  })
})

describe('fileChangesOf', () => {
  it('reads the changed files of a commit and an undo as ownRecordOf does', () => {
    const digest = fc.constantFrom(null, 'sha256:1', '', 7)
    const change = fc.record({ path: fc.constantFrom('a', 'b', '', 3), before: digest, after: digest, from: digest })
    const hunk = fc.oneof(fc.tuple(fc.nat(), fc.nat(), fc.nat()), fc.constantFrom([0, 1], [0, 1, -1], [0, 1, 0.5], 'x'))
    const lines = fc.record({
      path: fc.constantFrom('a', 'b', ''),
      hunks: fc.array(hunk),
      added: fc.constantFrom('', 7),
    })
    const items = <T>(item: fc.Arbitrary<T>) => fc.oneof(fc.array(fc.oneof(item, fc.anything())), fc.anything())
    fc.assert(
      fc.property(fc.constantFrom('commit', 'undo', 'command'), items(change), items(lines), (type, changes, lines) => {
        const record = recordOf({ type, changes, lines })
        const whole = ownRecordOf(record, 'commit', 'undo')
        const expected = whole && {
          changes: whole.changes?.map(({ mutation: _, ...each }) => each),
          lines: whole.lines,
        }
        expect(fileChangesOf(record)).toEqual(expected)
      }),
    )
  })
})
