import { describe, expect, it } from 'vitest'
import { EscrowError } from '../../src/core/api-error.js'
import { record, set } from './fake-changes.js'
import { escrow, workspaceDir } from './harness.js'

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
