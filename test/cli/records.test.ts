import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BlameLine, LedgerStats } from '../../src/core/api.js'
import { record } from './fake-changes.js'
import { escrow, workspaceDir } from './harness.js'

describe('log', () => {
  const records = [
    record(1, { intent_id: 'INT-001', files: [{ path: 'a.ts' }] }, { type: 'commit' }),
    record(2, { intent_id: 'INT-002' }, { type: 'denied', reason: 'scope_violation', path: 'b.ts' }),
    { intentId: 'INT-001', files: [{ relative_path: 'old.ts' }], timestamp: 17 },
    record(
      4,
      { files: 'odd' },
      {
        type: 'verdict',
        verdict: 'rejected',
        paths: ['a.ts', 'c.ts'],
        words: 'no\u001b[2J',
        reviewer: { name: 'Ada' },
      },
    ),
    record(5, {}, { type: 'commit', tx: '1-ab', changes: [{ path: 'new.ts', from: 'moved.ts' }, null, 3] }),
    record(
      6,
      {},
      { type: 'command', command: 'npm test', exit_code: 1, refused: [{ path: 'a.ts', reason: 'missing_intent_id' }] },
    ),
    record(7, {}, { type: 'command', command: ['sleep', '9'.repeat(90)], exit_code: null, ended: 'timeout' }),
  ]
  const numbers = async (...argv: string[]) => {
    const { out } = await escrow(workspaceDir(), ['log', '--json', ...argv], { records })
    const found: unknown[] = JSON.parse(out)
    return found.map((each) => records.findIndex((one) => JSON.stringify(one) === JSON.stringify(each)) + 1)
  }

  it('prints a line for each record of any shape', async () => {
    const { code, out } = await escrow(workspaceDir(), ['log', '--reverse'], { records })
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['1', '2026-01-01T00:00:00.000Z', 'commit', 'INT-001', 's1', 'a.ts'],
      ['2', '2026-01-02T00:00:00.000Z', 'denied', 'INT-002', 's1', 'b.ts (scope_violation)'],
      ['-', '-', '-', 'INT-001', '-', 'old.ts'],
      ['4', '2026-01-04T00:00:00.000Z', 'rejected', '-', 's1', 'a.ts c.ts by Ada (no^[[2J)'],
      ['5', '2026-01-05T00:00:00.000Z', 'commit', '-', 's1', '1-ab moved.ts new.ts'],
      ['6', '2026-01-06T00:00:00.000Z', 'command', '-', 's1', 'npm test: 1, refused: a.ts'],
      ['7', '2026-01-07T00:00:00.000Z', 'command', '-', 's1', `sleep ${'9'.repeat(54)}…: timeout`],
      [''],
    ])
    expect((await escrow(workspaceDir(), ['log'])).out).toBe('No records.\n')
  })

  it('filters by intent, path, or both', async () => {
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await numbers('--intent', 'INT-001')).toEqual([1, 3])
    expect(await numbers('--path', 'a.ts')).toEqual([1, 4])
    expect(await numbers('--path', 'moved.ts')).toEqual([5])
    expect(await numbers('--path', 'b.ts')).toEqual([2])
    expect(await numbers('--path', 'old.ts', '--intent', 'INT-001')).toEqual([3])
    expect(await numbers('--path', 'a.ts', '--intent', 'INT-002')).toEqual([])
  })

  it('filters by kind; `verdict` covers each single verdict', async () => {
    expect(await numbers('--kind', 'commit')).toEqual([1, 5])
    expect(await numbers('--kind', 'commit,denied')).toEqual([1, 2, 5])
    expect(await numbers('--kind', 'command', 'rejected')).toEqual([4, 6, 7])
    expect(await numbers('--kind', 'verdict')).toEqual([4])
    expect(await numbers('--kind', 'approved')).toEqual([])
    const { code, err } = await escrow(workspaceDir(), ['log', '--kind', 'comit'])
    expect([code, err]).toEqual([2, expect.stringContaining("Did you mean 'commit'?")])
  })
})

describe('verify', () => {
  const bad = { ok: false, records: 3, firstBad: { line: 2, reason: 'its prev is not the hash of line 1' } }

  it('exits with 0 for an intact ledger', async () => {
    expect(await escrow(workspaceDir(), ['verify'])).toMatchObject({
      code: 0,
      out: 'The ledger is intact: 2 records.\n',
    })
  })

  it('exits with 3 for a damaged ledger, and names the first bad line', async () => {
    const { code, out, err } = await escrow(workspaceDir(), ['verify'], { verify: bad })
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain('line 2 on: its prev is not the hash of line 1.')
    const asJson = await escrow(workspaceDir(), ['verify', '--json'], { verify: bad })
    expect([asJson.code, JSON.parse(asJson.out)]).toEqual([3, bad])
  })
})

describe('blame', () => {
  const blame: BlameLine[] = [
    { line: 1, contributor: 'ai', intentId: 'INT-001', model: 'gpt', sessionId: 's1', approvedBy: 'Ann' },
    { line: 2, contributor: 'human' },
    { line: 3, contributor: 'ai', tool: 'codex' },
    { line: 4, contributor: 'ai' },
  ]

  it('shows each line with its author: the model or program of an agent', async () => {
    const cwd = workspaceDir()
    writeFileSync(`${cwd}/a.ts`, 'one\n\u001b[2Jtwo\nthree\nfour\n')
    const { out, calls } = await escrow(cwd, ['blame', 'a.ts'], { blame })
    expect(calls).toContainEqual(['blame', 'a.ts'])
    expect(out).toBe(
      [
        'INT-001  gpt      s1  Ann  1  one',
        '-        human    -   -    2  ^[[2Jtwo',
        '-        codex    -   -    3  three',
        '-        unknown  -   -    4  four',
        '',
      ].join('\n'),
    )
  })

  it('prints one document', async () => {
    const { out } = await escrow(workspaceDir(), ['blame', 'a.ts', '--json'], { blame })
    expect(JSON.parse(out)).toEqual(blame)
  })

  it.each([
    ['99,100', 'lines 99 to 100'],
    ['99', 'line 99'],
    ['99,', 'lines from 99 on'],
  ])('fails for -L %s beyond the end', async (range, lines) => {
    const { code, err } = await escrow(workspaceDir(), ['blame', '-L', range, 'a.ts'], { blame })
    expect([code, err]).toEqual([1, `escrow: 'a.ts' has no ${lines}.\n`])
  })
})

describe('trailer', () => {
  it("prints the ledger's head, and a hook that adds it to a commit message", async () => {
    const cwd = workspaceDir()
    const head = { ledger: 'l', seq: 7, hash: 'ab'.repeat(32), size: 9 }
    expect((await escrow(cwd, ['trailer'], { head })).out).toBe(`Trace-Head: 7:${'ab'.repeat(32)}\n`)
    expect((await escrow(cwd, ['trailer'])).code).toBe(1)
    const { out } = await escrow(cwd, ['trailer', '--hook'])
    expect(out).toMatch(/^#!\/bin\/sh\n[\s\S]*git interpret-trailers/)
  })
})

describe('keys', () => {
  it('prints the file of the key and its public half', async () => {
    const { out } = await escrow(workspaceDir(), ['keys'])
    expect(out).toBe('made  /k\nSHA256:x\nPEM\n')
    expect(JSON.parse((await escrow(workspaceDir(), ['keys', '--json'])).out)).toMatchObject({ created: true })
  })
})

describe('verify with heads and anchors', () => {
  it('joins the branches of a merged ledger as the given reviewer, and updates the map', async () => {
    const cwd = workspaceDir()
    const head = { ledger: 'l', seq: 3, hash: 'aa', size: 9 }
    const joined = await escrow(cwd, ['verify', '--join', '--by', 'Ada'], { head })
    const calls = ['join', 'mapIntents', 'verify', 'close']
    expect(joined.calls.slice(1).map(([name]) => name)).toEqual(calls)
    expect(joined.calls[1]).toEqual(['join', { name: 'Ada' }])
    const whole = await escrow(cwd, ['verify', '--join'])
    expect(whole.calls.slice(1).map(([name]) => name)).toEqual(calls.toSpliced(1, 1))
  })

  it('reads heads from a file, reports anchors and signatures, and anchors again on request', async () => {
    const cwd = workspaceDir()
    writeFileSync(`${cwd}/heads`, 'Trace-Head: 1:aa\n\n2:bb\n')
    const verify = { ok: true, records: 3, anchored: 2, signed: 1, unknownKeys: 2 }
    const { out, calls } = await escrow(cwd, ['verify', '--heads', `${cwd}/heads`, '--anchor'], { verify })
    expect(calls.slice(1, 3)).toEqual([['anchor'], ['verify', { heads: ['Trace-Head: 1:aa', '2:bb'] }]])
    expect(out).toBe(
      'The ledger is intact: 3 records, anchored up to number 2, 1 checkpoint signed, ' +
        '2 checkpoints signed by keys not known here.\n',
    )
  })
})

describe('stats and export', () => {
  const stats: LedgerStats = {
    lines: { total: 4, ai: 3, human: 0, unknown: 1, byIntent: { 'INT-1': 3 }, byModel: { m: 3 }, byClass: { X: 3 } },
    approval: { approved: 1, rejected: 1, rate: 0.5 },
    rework: { days: 7, written: 0, changed: 0, rate: null },
    released: {
      byPeople: { commits: 1, changes: 1, undone: 0 },
      byTier: { docs: { commits: 2, changes: 3, undone: 1 } },
    },
  }

  it('are shown as a table, and as one document', async () => {
    const { out, calls } = await escrow(workspaceDir(), ['stats', '--days', '7'], { stats })
    expect(calls).toContainEqual(['stats', { days: 7 }])
    expect(out).toBe(
      [
        'lines     ai         3                         75 %',
        'lines     unknown    1                         25 %',
        'intent    INT-1      3                         75 %',
        'model     m          3                         75 %',
        'class     X          3                         75 %',
        'approved  paths      1 of 2                    50 %',
        'rework    in 7 days  0 of 0                    -',
        'released  by people  1 in 1 commit             25 %',
        'released  rule docs  3 in 2 commits, 1 undone  75 %',
        '',
      ].join('\n'),
    )
    expect(JSON.parse((await escrow(workspaceDir(), ['stats', '--json'], { stats })).out)).toEqual(stats)
    expect((await escrow(workspaceDir(), ['stats', '--days', 'x'], { stats })).code).toBe(2)
  })

  it('prints what the library exports', async () => {
    expect((await escrow(workspaceDir(), ['export', 'csv'])).out).toBe('csv\n')
  })
})
