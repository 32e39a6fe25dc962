import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BlameLine, Change, LedgerStats, Question } from '../../src/core/api.js'
import { EscrowError } from '../../src/core/api-error.js'
import { escrow, workspaceDir } from './harness.js'

const change: Change = {
  path: 'a.ts',
  kind: 'create',
  before: null,
  after: 'sha256:1',
  mode: { before: null, after: 0o644 },
  hunks: [
    {
      id: 'h_aaaa1111',
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 1,
      text: '@@ -0,0 +1,1 @@\n+x\n',
      state: 'pending',
    },
  ],
  state: 'pending',
  flags: [],
}
const other = change.hunks.map((hunk) => ({ ...hunk, id: 'h_aaaa2222' }))
const set = { digest: 'sha256:2', changes: [change, { ...change, path: 'b.ts', hunks: other }] }
const record = (seq: number, more: object, own: object = {}) => ({
  timestamp: `2026-01-0${seq}T00:00:00.000Z`,
  session_id: 's1',
  ...more,
  metadata: { 'dev.escrowfs': { seq, ...own } },
})

describe('init', () => {
  it('makes the directory itself a workspace, even inside another workspace', async () => {
    const cwd = workspaceDir()
    const { code, out, calls } = await escrow(cwd, ['init', '-C', 'sub'])
    expect([code, calls]).toEqual([0, [['init', `${cwd}/sub`]]])
    expect(out).toContain('created  .orchestration/policy.yaml\nkept     .orchestration/.gitignore\n')
  })
})

describe('status', () => {
  it('reports an invalid policy.yaml, which refuses all writes', async () => {
    const problem = 'Policy Invalid: .orchestration/policy.yaml: unknown key `a\u001b`. All writes are refused.'
    const { out } = await escrow(workspaceDir(), ['status'], { problem })
    expect(out).toContain('Policy Invalid: .orchestration/policy.yaml: unknown key `a^[`. All writes are refused.\n')
    expect(out.match(/refused/g)).toHaveLength(1)
    expect((await escrow(workspaceDir(), ['status'])).out).not.toContain('refused')
  })

  const sessions = [{ id: 's1', live: true, changes: 3, agent: { model: 'gpt' } }]

  it('lists intents and sessions', async () => {
    const { out } = await escrow(workspaceDir(), ['status'], { sessions })
    expect(out).toContain('  INT-001  IN_PROGRESS  Billing\n')
    expect(out).toContain('  s1  live  3 staged  gpt\n')
  })

  it('prints one document', async () => {
    const cwd = workspaceDir()
    const { out } = await escrow(cwd, ['status', '--json'], { sessions })
    expect(JSON.parse(out)).toMatchObject({ root: cwd, intents: [{ id: 'INT-001' }], sessions })
  })
})

describe('diff', () => {
  it('shows the changes of the session, or that nothing is staged', async () => {
    const cwd = workspaceDir()
    const { code, out, calls } = await escrow(cwd, ['diff', 's1'], { set })
    expect([code, calls]).toEqual([0, [['open', cwd], ['review', 's1'], ['close']]])
    expect(out).toContain('+++ b/a.ts\n@@ -0,0 +1,1 @@ aaaa1\n+x\n')
    expect((await escrow(cwd, ['diff', 's1'])).out).toBe("Nothing is staged in session 's1'.\n")
  })

  it('prints one document, also with nothing staged', async () => {
    const cwd = workspaceDir()
    expect(JSON.parse((await escrow(cwd, ['diff', 's1', '--json'], { set }, true)).out)).toEqual(set)
    const none = await escrow(cwd, ['diff', 's1', '--json'])
    expect(JSON.parse(none.out)).toEqual({ digest: 'sha256:0', changes: [] })
  })
})

describe('approve', () => {
  const approve = async (...argv: string[]) => await escrow(workspaceDir(), ['approve', 's1', ...argv], { set })

  it('approves everything without paths, and lists what it left out', async () => {
    const { code, out, calls } = await approve()
    expect([code, calls[2]]).toEqual([0, ['approve', undefined, undefined]])
    expect(out).toBe("approved  a.ts\nleft out  b.ts\n1 change approved. Write to disk with 'escrow commit s1'.\n")
  })

  it('gives the reason for a change left out without a verdict', async () => {
    const left = [{ path: 'b.ts', reason: 'stale_file', message: 'b.ts was changed on disk.' }]
    const verdict = 'approved' as const
    const approve = async () => ({ id: 'v1', verdict, paths: ['a.ts'], left, by: { name: 'Ann' }, at: '' })
    const { out } = await escrow(workspaceDir(), ['approve', 's1'], { set, review: { approve } })
    expect(out).toContain('left out  b.ts was changed on disk.\n')
  })

  it('approves the named paths as the given reviewer', async () => {
    const { out, calls } = await approve('a.ts', 'src/**', '--by', 'Ann Lee <ann@example.org>')
    expect(calls[2]).toEqual(['approve', ['a.ts', 'src/**'], { name: 'Ann Lee', email: 'ann@example.org' }])
    expect(out).not.toContain('left out')
    expect((await approve('--by', 'Ann Lee')).calls[2]).toEqual(['approve', undefined, { name: 'Ann Lee' }])
  })

  it('names the rejected hunks of a file that an approval of everything leaves out', async () => {
    const hunks = change.hunks.map((hunk) => ({ ...hunk, state: 'rejected' as const }))
    const review = {
      approve: async () => ({ id: 'v', verdict: 'approved' as const, by: { name: 'Ann' }, at: 'now', paths: ['a.ts'] }),
    }
    const { out } = await escrow(workspaceDir(), ['approve', 's1'], {
      set: { ...set, changes: [{ ...change, hunks }] },
      review,
    })
    expect(out).toContain('left out  a.ts: 1 rejected hunk\n')
  })

  it('fails if it approves nothing, and says why', async () => {
    const left = [{ path: 'b.ts', reason: 'stale_file', message: 'b.ts was changed on disk.' }]
    const none = { id: '', verdict: 'approved' as const, paths: [], left, by: { name: 'Ann' }, at: '' }
    const approveIn = async (changes: typeof set.changes, ...more: string[]) =>
      escrow(workspaceDir(), ['approve', 's1', ...more], {
        set: { ...set, changes },
        review: { approve: async () => none },
      })
    const rejected = { ...change, state: 'rejected' as const }
    const { code, out, err } = await approveIn([rejected, { ...change, path: 'b.ts' }])
    expect([code, out]).toEqual([1, 'left out  a.ts is rejected.\nleft out  b.ts was changed on disk.\n'])
    expect(err).toContain("Nothing was approved: every change is left out.\n'escrow diff s1' shows them")
    const empty = await approveIn([])
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("Nothing is staged in session 's1'")])
    const asJson = await approveIn([], '--json')
    expect([asJson.code, JSON.parse(asJson.out)]).toMatchObject([1, { session: 's1', left: [] }])
  })

  it('approves only the change set with the given digest', async () => {
    expect((await approve('--digest', 'sha256:2')).calls).toContainEqual(['approve', undefined, undefined])
    const stale = await approve('--digest', 'sha256:other')
    expect(stale.code).toBe(1)
    expect(stale.calls.map(([name]) => name)).toEqual(['open', 'review', 'close'])
    expect(stale.err).toContain('Nothing was approved')
  })
})

describe('hunks and calls', () => {
  const verdict = { id: 'v', verdict: 'approved' as const, by: { name: 'Ann' }, at: 'now' }

  it('are selected by an id prefix, which is expanded', async () => {
    const review = {
      approve: async () => ({ ...verdict, paths: ['a.ts', 'b.ts'], hunks: ['h_aaaa1111'] }),
    }
    const argv = ['approve', 's1', '--hunk', 'aaaa1', 'h_aaaa2']
    expect((await escrow(workspaceDir(), argv, { set })).calls[2]).toEqual([
      'approve',
      { hunks: ['h_aaaa1111', 'h_aaaa2222'] },
      undefined,
    ])
    const byCall = await escrow(workspaceDir(), ['approve', 's1', '--call', 'c1'], { set })
    expect(byCall.calls[2]).toEqual(['approve', { calls: ['c1'] }, undefined])
    const { out } = await escrow(workspaceDir(), argv, { set, review })
    expect(out).toContain('approved  a.ts  aaaa1\napproved  b.ts\n1 change and 1 hunk approved.')
    const rejected = await escrow(workspaceDir(), ['reject', 's1', '--hunk', 'aaaa2', '--reason', 'no'], { set })
    expect(rejected.calls[2]).toEqual(['reject', { hunks: ['h_aaaa2222'] }, 'no', undefined])
  })

  it('select nothing else of a file that is named with its hunk', async () => {
    const selectionFor = async (...more: string[]) =>
      (await escrow(workspaceDir(), ['approve', 's1', ...more], { set })).calls[2]?.[1]
    expect(await selectionFor('a.ts', '--hunk', 'aaaa1')).toEqual({ hunks: ['h_aaaa1111'] })
    expect(await selectionFor('./a.ts', 'b.ts', '--hunk', 'aaaa1', 'aaaa2')).toEqual({
      hunks: ['h_aaaa1111', 'h_aaaa2222'],
    })
  })

  it.each([
    ['A hunk is in a.ts, which is not named', ['b.ts', '--hunk', 'aaaa1']],
    ['No hunk that you named is in b.ts', ['a.ts', 'b.ts', '--hunk', 'aaaa1']],
  ])('are refused if they do not match: %s', async (message, argv) => {
    for (const command of [['approve'], ['reject', '--reason', 'no'], ['discard']]) {
      const { code, err, calls } = await escrow(workspaceDir(), [...command, 's1', ...argv], { set })
      expect([code, calls.some(([name]) => ['approve', 'reject', 'discard'].includes(String(name)))]).toEqual([
        1,
        false,
      ])
      expect(err).toContain(message)
    }
  })

  it('are refused for an unknown or ambiguous id prefix', async () => {
    for (const [id, what] of [
      ['bbbb', 'No hunk has'],
      ['aaaa', '2 hunks have'],
      ['', '2 hunks have'],
    ] as const) {
      const { code, err, calls } = await escrow(workspaceDir(), ['approve', 's1', '--hunk', id], { set })
      expect([code, calls.map(([name]) => name)]).toEqual([1, ['open', 'review', 'close']])
      expect(err).toContain(`${what} an id that begins with '${id}'. Nothing was recorded. (nothing_selected)`)
    }
  })
})

describe('discard', () => {
  it('discards only the selected changes, and prints the number of remaining ones', async () => {
    const selections: unknown[] = []
    const review = {
      discard: async (selection?: unknown) => {
        selections.push(selection)
      },
    }
    const { code, out } = await escrow(workspaceDir(), ['discard', 's1', '--hunk', 'aaaa2'], { set, review })
    expect(selections).toEqual([{ hunks: ['h_aaaa2222'] }])
    expect([code, out]).toEqual([0, "Discarded from session 's1': 2 left, see 'escrow diff s1'.\n"])
  })
})

describe('reject', () => {
  it('passes on paths, reason and reviewer', async () => {
    const argv = ['reject', 's1', 'a.ts', 'b.ts', '--reason', 'use the helper', '--by', 'Ann']
    const { code, out, calls } = await escrow(workspaceDir(), argv)
    expect([code, calls[2]]).toEqual([0, ['reject', ['a.ts', 'b.ts'], 'use the helper', { name: 'Ann' }]])
    expect(out).toBe(
      'rejected  a.ts\n1 change rejected. The agent gets the reason with its next call in this session.\n',
    )
  })

  it('does not promise the agent a reason if it rejects nothing', async () => {
    const reject = async () => ({ id: '', verdict: 'rejected' as const, by: { name: 'Ann' }, at: '', paths: [] })
    const argv = ['reject', 's1', 'a.ts', '--reason', 'no']
    expect((await escrow(workspaceDir(), argv, { set, review: { reject } })).out).toBe('0 changes rejected.\n')
  })
})

describe('commit', () => {
  it('lists the committed paths', async () => {
    const { code, out, calls } = await escrow(workspaceDir(), ['commit', 's1', '--strict'])
    expect([code, calls[2]]).toEqual([0, ['commit', expect.objectContaining({ strict: true })]])
    expect(out).toBe('committed  a.ts\n1 change committed as tx1, number 4.\n')
  })

  it('passes on --merge', async () => {
    expect((await escrow(workspaceDir(), ['commit', 's1', '--merge'])).calls[2]).toEqual([
      'commit',
      expect.objectContaining({ merge: true }),
    ])
  })

  it('reports that nothing was approved', async () => {
    const commit = async () => ({ id: '', seq: 0, committed: [], conflicts: [] })
    const { code, out, err } = await escrow(workspaceDir(), ['commit', 's1'], { review: { commit } })
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('Nothing is approved, so nothing was committed.')])
  })

  it('lists what was left out, with reasons', async () => {
    const left = [{ path: 'b.ts', reason: 'stale_file', message: 'b.ts was changed on disk.' }]
    const commit = async () => ({ id: 'tx1', seq: 1, committed: ['a.ts'], conflicts: [], left })
    const { code, err } = await escrow(workspaceDir(), ['commit', 's1'], { review: { commit } })
    const next =
      "See 'escrow diff s1'. 'escrow commit s1 --merge' merges what changed on disk. To resolve a conflict, press e in 'escrow review s1'.\n"
    expect([code, err]).toEqual([0, `left out   b.ts was changed on disk.\n${next}`])
  })

  it('exits with 1 for a path in conflict', async () => {
    const conflicts = [{ path: 'b.ts', reason: 'stale_file' }]
    const commit = async () => ({ id: 'tx1', seq: 1, committed: ['a.ts'], conflicts })
    const { code, err } = await escrow(workspaceDir(), ['commit', 's1'], { review: { commit } })
    expect([code, err]).toEqual([1, 'conflict   b.ts: stale_file\n'])
  })
})

describe('undo', () => {
  const change = { path: 'a.ts', kind: 'modify' as const, before: 'sha256:1', after: 'sha256:2', hunks: [] }
  const setWithFlags = (flags: string[]) => ({
    set: { digest: 'sha256:0', changes: [{ ...change, state: 'pending' as const, flags }] },
  })

  it('lists what it staged, and the command that shows it', async () => {
    const { code, out, calls } = await escrow(workspaceDir(), ['undo', '4'], setWithFlags([]))
    expect([code, calls[1]]).toEqual([0, ['undo', ['4']]])
    expect(out).toBe("staged  a.ts\n1 change staged in session 'undo-4'. See 'escrow diff undo-4'.\n")
  })

  it('lists paths that changed on disk since', async () => {
    const { out } = await escrow(workspaceDir(), ['undo', '4'], setWithFlags(['drifted']))
    expect(out).toContain('staged  a.ts  changed on disk\n1 path changed on disk: not approved by default.')
  })
})

describe('undo of several', () => {
  const records = [
    record(1, {}, { type: 'commit', tx: '1-aa' }),
    record(2, {}, { type: 'denied', reason: 'scope_violation', path: 'b.ts' }),
    record(3, {}, { type: 'undo', tx: '2-bb' }),
    record(4, {}, { type: 'commit', tx: '3-cc' }),
  ]
  const undo = async (...argv: string[]) => await escrow(workspaceDir(), ['undo', ...argv], { records, set })

  it('takes ids, or every commit since a time, undo commits included', async () => {
    expect((await undo('3', '4')).calls[1]).toEqual(['undo', ['3', '4']])
    expect((await undo('--since', '2026-01-02')).calls[1]).toEqual(['undo', ['2-bb', '3-cc']])
  })

  it('with --dry-run shows what it would stage, and stages nothing', async () => {
    const { code, out, calls } = await undo('--since', '2026-01-01', '--dry-run')
    expect([code, calls.map(([name]) => name)]).toEqual([0, ['open', 'previewUndo', 'close']])
    expect(out).toMatch(/^3 commits: 1-aa, 2-bb, 3-cc\n[\s\S]*would be staged\. Nothing was changed\.\n$/)
  })

  it('needs a person to stage, and nobody for a dry run', async () => {
    const admit = () => {
      throw new EscrowError('access_denied', 'There is no terminal.')
    }
    const run = (...argv: string[]) => escrow(workspaceDir(), ['undo', '3', ...argv], { records, set, admit })
    expect(await run('--dry-run')).toMatchObject({ code: 0, err: '' })
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('There is no terminal.') })
  })

  it('refuses a time without later commits, and neither or both of ids and time', async () => {
    expect(await undo('--since', '2026-02-01')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no commit since'),
    })
    expect([(await undo()).code, (await undo('3', '--since', '1d')).code]).toEqual([2, 2])
  })
})

describe('recover', () => {
  const savedPath = '.orchestration/tx/4-ab/0.new'
  const recovery = {
    finished: [4],
    rolledBack: ['5-cd'],
    left: [
      { seq: 4, path: 'a.ts', reason: 'stale_file', kept: savedPath },
      { seq: 4, path: 'b.ts', reason: 'stale_file' },
    ],
  }

  it('lists finished, rolled back and skipped commits, and the kept version', async () => {
    const { code, out } = await escrow(workspaceDir(), ['recover'], { recovery })
    expect(code).toBe(0)
    expect(out.split('\n')).toEqual([
      'finished     commit 4',
      'rolled back  5-cd, which had changed nothing',
      `left alone   a.ts (stale_file): commit 4 found a file there that another program had written; the commit's version is in ${savedPath}`,
      'left alone   b.ts (stale_file): commit 4 found a file there that another program had written',
      '',
    ])
    expect((await escrow(workspaceDir(), ['recover'])).out).toBe('Nothing to recover.\n')
  })

  it('prints one document', async () => {
    expect(JSON.parse((await escrow(workspaceDir(), ['recover', '--json'], { recovery })).out)).toEqual(recovery)
  })
})

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

describe('snapshots', () => {
  const at = '2026-01-02T03:04:05.000Z'
  const snapshots = async () => [
    { id: 's1', at, callId: 'c\u001b1', tool: 'write_to_file' },
    { id: 's2', at, name: 'before lunch', parent: 's1' },
    { id: 's3', at, parent: 's2' },
  ]

  it('are listed, each with the call that followed it', async () => {
    const { out } = await escrow(workspaceDir(), ['snapshots', 'a'], { review: { snapshots } })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^s1 {2}\S+ {2}before write_to_file c[^\u001b]+1$/),
      expect.stringMatching(/^s2 {2}\S+ {2}before lunch +from s1$/),
      expect.stringMatching(/^s3 {2}\S+ {2}before a travel +from s2$/),
      '',
    ])
    const asJson = await escrow(workspaceDir(), ['snapshots', 'a', '--json'], { review: { snapshots } })
    expect(JSON.parse(asJson.out)).toMatchObject({
      session: 'a',
      snapshots: [{ id: 's1' }, { id: 's2' }, { id: 's3' }],
    })
    expect((await escrow(workspaceDir(), ['snapshots', 'a'])).out).toBe('No snapshots.\n')
  })
})

describe('questions and answers', () => {
  const question = { kind: 'access' as const, id: 'q1', at: 'now', path: 'src/db/a.sql', rule: 'src/db' }
  const scope = {
    kind: 'scope' as const,
    id: 'q2',
    at: 'now',
    intentId: 'INT-001',
    globs: ['lib/**'],
    why: 'It is there.',
  }
  const command = {
    ...{ kind: 'command' as const, id: 'q3', at: 'now', command: 'rm \u001b[2J x', cwd: 'src', key: 'k' },
    ...{ rules: ['destructive' as const], why: 'destructive: rm x deletes files' },
  }
  const sessions = [{ id: 's1', live: true, changes: 0 }]
  const review = { questions: async () => [question, scope] }

  it('shows a command with its rules, and no control characters', async () => {
    const { out } = await escrow(workspaceDir(), ['questions'], {
      sessions,
      review: { questions: async () => [command] },
    })
    expect(out).not.toContain('\u001b')
    expect(out).toMatch(/may it run rm .* x in src\? \(destructive asks: destructive: rm x deletes files\)\n$/)
  })

  it('shows each line of a script that it asks about, and no control character', async () => {
    const command: Question = {
      id: 'q2',
      key: 'k',
      at: 'now',
      kind: 'command',
      command: 'set -e\nrm x\x1b',
      cwd: '',
      rules: ['other'],
      why: 'w',
    }
    const { out } = await escrow(workspaceDir(), ['questions'], {
      sessions,
      review: { questions: async () => [command] },
    })
    expect(out).toBe('s1  q2  may it run these 2 lines? (other asks: w)\n    set -e\n    rm x^[\n')
  })

  it('lists the questions of sessions, as text and as one document', async () => {
    const { out } = await escrow(workspaceDir(), ['questions'], { sessions, review })
    expect(out).toBe(
      's1  q1  may it write src/db/a.sql? (the rule src/db asks)\ns1  q2  may INT-001 own lib/** too? It says: It is there.\n',
    )
    const asJson = await escrow(workspaceDir(), ['questions', 's1', '--json'], { sessions, review })
    expect(JSON.parse(asJson.out)).toEqual({ questions: [question, scope].map((each) => ({ session: 's1', ...each })) })
    expect((await escrow(workspaceDir(), ['questions'], { sessions: [] })).out).toBe('No agent has an open question.\n')
  })

  it('records an answer with a reason and a reviewer', async () => {
    const argv = ['answer', 's1', 'q1', 'deny', '--reason', 'Use a migration.', '--by', 'Ada <ada@x.org>']
    const { code, calls, out } = await escrow(workspaceDir(), argv, { review })
    const by = { name: 'Ada', email: 'ada@x.org' }
    expect(calls).toContainEqual(['answer', 'q1', { answer: 'deny', words: 'Use a migration.', by }])
    expect([code, out]).toEqual([0, 'Answered: deny. The agent gets your answer with its next call in this session.\n'])
    expect((await escrow(workspaceDir(), ['answer', 's1', 'q1', 'perhaps'], { review })).code).not.toBe(0)
  })

  it('denies only with a reason', async () => {
    for (const more of [[], ['--reason', ' ']]) {
      const { code, err, calls } = await escrow(workspaceDir(), ['answer', 's1', 'q1', 'deny', ...more], { review })
      expect([code, calls]).toEqual([2, []])
      expect(err).toContain("'deny' needs '--reason TEXT'")
    }
  })

  it('accepts a unique id prefix', async () => {
    const long = { questions: async () => ['af4d-1', 'af4e-2', 'q1', 'q10'].map((id) => ({ ...question, id })) }
    const answer = (id: string) => escrow(workspaceDir(), ['answer', 's1', id, 'once'], { review: long })
    expect((await answer('af4d')).calls).toContainEqual(['answer', 'af4d-1', { answer: 'once' }])
    expect((await answer('q1')).calls).toContainEqual(['answer', 'q1', { answer: 'once' }])
    for (const [id, output] of [
      ['af4', "2 open questions have an id that begins with 'af4'. Nothing was answered."],
      ['b', "No open question has an id that begins with 'b'. Nothing was answered."],
      ['', "No open question has an id that begins with ''. Nothing was answered."],
    ] as const) {
      const { code, err, calls } = await answer(id)
      expect([code, calls.filter(([name]) => name === 'answer')]).toEqual([1, []])
      expect(err).toContain(output)
      expect(err).toContain("'escrow questions s1' lists them.")
    }
  })

  it('are counted by status, without damaged sessions', async () => {
    const both = [...sessions, { id: 's2', live: false, changes: 0, damaged: 'torn' }]
    expect((await escrow(workspaceDir(), ['status'], { sessions: both, review })).out).toContain(
      "2 questions for you: 'escrow questions'\n",
    )
    expect((await escrow(workspaceDir(), ['status'], { sessions })).out).not.toContain('for you')
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
