import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { UnanchoredRecords, VerifyResult } from '../../src/core/api.js'
import { escrow, workspaceDir } from './harness.js'

const WHOLE: VerifyResult = { ok: true, records: 15, anchored: 10 }
const ADVICE = "Check them, then 'escrow verify --join'."

describe('verify', () => {
  it.each<[string, VerifyResult, string]>([
    [
      'of a fresh clone',
      { ok: true, records: 15, unanchored: [{ from: 1, to: 15 }] },
      `The ledger is intact: 15 records.\nNothing on this machine anchors records 1 to 15: it has no record of this ledger. ${ADVICE}\n`,
    ],
    [
      'of records that others wrote after the known ones',
      { ...WHOLE, unanchored: [{ from: 11, to: 15 }] },
      `The ledger is intact: 15 records, anchored up to number 10.\nRecords 11 to 15 were not written or accepted on this machine. ${ADVICE}\n`,
    ],
    [
      'of some records among others',
      {
        ...WHOLE,
        unanchored: [
          { from: 3, to: 3 },
          { from: 5, to: 6 },
        ],
      },
      `The ledger is intact: 15 records, anchored up to number 10.\nRecords 3 and 5 to 6 were not written or accepted on this machine. ${ADVICE}\n`,
    ],
    [
      'of one record, and a line of another tool',
      { ...WHOLE, unanchored: [{ from: 15, to: 15 }], foreign: 1 },
      `The ledger is intact: 15 records, anchored up to number 10.\nRecord 15 was not written or accepted on this machine. ${ADVICE}\n` +
        '1 line of other tools was not accepted on this machine.\n',
    ],
    [
      'of a file without the newest known ones',
      { ...WHOLE, absent: { from: 16, seq: 20, at: '2026-01-01T00:00:00.000Z' } },
      'The ledger is intact: 15 records, anchored up to number 10.\nThis machine also knows records 16 to 20 of this ledger; they are not in this file: ' +
        'another branch is checked out, or its end was cut off.\n',
    ],
  ])('lists the records that this machine does not know: %s', async (_, verify, text) => {
    const { code, out, err } = await escrow(workspaceDir(), ['verify'], { verify })
    expect([code, out, err]).toEqual([0, text, ''])
    const asJson = await escrow(workspaceDir(), ['verify', '--json'], { verify })
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([0, verify])
  })
})

describe('verify --join', () => {
  const unanchored: UnanchoredRecords = {
    ...{ count: 5, ranges: [{ from: 11, to: 15 }], approvers: ['Ada', 'B\u001b[2Jen'], sessions: ['agent-1'] },
    ...{ first: '2026-01-01T00:00:00Z', last: '2026-01-02T00:00:00Z' },
  }
  const SHOWN = `5 lines would be accepted: records 11 to 15.
  approved by  Ada, B^[[2Jen
  sessions     agent-1
  written      2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z
`

  it('shows what it would accept, asks, and accepts it only on a yes', async () => {
    const yes = await escrow(workspaceDir(), ['verify', '--join'], { unanchored, answer: true })
    expect([yes.code, yes.err]).toEqual([0, SHOWN])
    expect(yes.calls.map(([name]) => name)).toEqual(['open', 'yes', 'join', 'verify', 'close'])
    const no = await escrow(workspaceDir(), ['verify', '--join'], { unanchored, answer: false })
    expect([no.code, no.out, no.err]).toEqual([1, '', `${SHOWN}Nothing was accepted.\n`])
    expect(no.calls.map(([name]) => name)).toEqual(['open', 'yes', 'close'])
  })

  it('asks nothing with --yes, and if there is nothing to accept', async () => {
    const joined = await escrow(workspaceDir(), ['verify', '--join', '--yes'], { unanchored })
    expect([joined.code, joined.calls.map(([name]) => name)]).toEqual([0, ['open', 'join', 'verify', 'close']])
    const none = await escrow(workspaceDir(), ['verify', '--join'])
    expect([none.code, none.calls.map(([name]) => name)]).toEqual([0, ['open', 'join', 'verify', 'close']])
  })

  it('accepts nothing if nobody can be asked', async () => {
    const alone = await escrow(workspaceDir(), ['verify', '--join'], { unanchored })
    expect(alone.err).toContain(
      "escrow: Nothing was accepted: there is no terminal to ask for confirmation. Add '--yes' to confirm.\n",
    )
    expect([alone.code, alone.calls.map(([name]) => name)]).toEqual([1, ['open', 'close']])
    const asJson = await escrow(workspaceDir(), ['verify', '--join', '--json'], { unanchored, answer: true })
    expect([asJson.code, asJson.out]).toEqual([1, ''])
  })

  it('warns of a record that replaces a known one', async () => {
    const { err } = await escrow(workspaceDir(), ['verify', '--join'], {
      unanchored: { ...unanchored, differs: 11 },
      answer: false,
    })
    expect(err).toContain('This machine knows another record 11: the ledger was rewritten')
  })
})

describe('status', () => {
  const unanchored = { count: 5, ranges: [{ from: 11, to: 15 }], approvers: [], sessions: [] }

  it('lists the records that this machine has not anchored', async () => {
    const cwd = workspaceDir()
    const { out } = await escrow(cwd, ['status'], { unanchored })
    expect(out).toContain("Ledger     records 11 to 15 are not anchored on this machine: 'escrow verify'\n")
    const differs = await escrow(cwd, ['status'], { unanchored: { ...unanchored, differs: 11 } })
    expect(differs.out).toMatch(
      /^Ledger {5}record 11 differs from what this machine knows; record.* 11.* not anchored on this machine: 'escrow verify'$/m,
    )
    expect((await escrow(cwd, ['status'])).out).not.toContain('Ledger')
    expect(JSON.parse((await escrow(cwd, ['status', '--json'], { unanchored })).out)).toMatchObject({ unanchored })
  })
})

describe('blame', () => {
  it('marks lines whose record this machine has not anchored', async () => {
    const cwd = workspaceDir()
    writeFileSync(`${cwd}/a.ts`, 'one\ntwo\n')
    const blame = [
      { line: 1, contributor: 'human', approvedBy: 'Ann', recordId: 'r', unanchored: true },
      { line: 2, contributor: 'ai', approvedBy: 'Ann', recordId: 's' },
    ] as const
    const { out } = await escrow(cwd, ['blame', 'a.ts'], { blame: [...blame] })
    expect(out).toBe(
      '-  human    -  ? Ann  1  one\n-  unknown  -  Ann    2  two\n' +
        "? marks lines whose record nothing on this machine anchors. 'escrow verify' says more.\n",
    )
  })
})
