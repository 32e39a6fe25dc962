import { describe, expect, it } from 'vitest'
import { change, set } from './fake-changes.js'
import { escrow, workspaceDir } from './harness.js'

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
