import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { BlameLine, LedgerStats, TraceRecord } from '../../src/core/api.js'
import { escrow, workspaceDir } from './harness.js'

const record = (seq: number, more: Partial<TraceRecord> = {}): TraceRecord => ({
  version: '0.1.0',
  id: `r${seq}`,
  timestamp: `2026-11-2${seq}T10:00:00.000Z`,
  session_id: seq === 2 ? 'two' : 'one',
  intent_id: 'INT-001',
  files: [],
  metadata: { 'dev.escrowfs': { seq, type: 'commit', changes: [{ path: `src/${seq}.ts` }, { path: 'src/all.ts' }] } },
  ...more,
})
const records = [record(1), record(2), record(3)]
const numbers = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0])

it.each([
  [[], ['3', '2', '1']],
  [['--reverse'], ['1', '2', '3']],
  [
    ['-n', '2'],
    ['3', '2'],
  ],
  [
    ['-n', '2', '--reverse'],
    ['2', '3'],
  ],
  [
    ['--session', 'one'],
    ['3', '1'],
  ],
  [
    ['--since', '2026-11-22'],
    ['3', '2'],
  ],
  [['--until', '2026-11-22'], ['1']],
  [['--since', '2026-11-22', '--until', '2026-11-22T23:00:00Z'], ['2']],
  [['--path', 'src/3.ts'], ['3']],
])('log %j prints the matching records', async (argv, output) => {
  const { code, out } = await escrow(workspaceDir(), ['log', ...argv], { records })
  expect([code, numbers(out)]).toEqual([0, output])
})

it("log shows a hub's landed changes, as a kind of commit", async () => {
  const landed = { branch: 'main', commit: '1'.repeat(40) }
  const own = { 'dev.escrowfs': { seq: 4, type: 'commit', changes: [{ path: 'src/4.ts' }], landed } }
  const all = [...records, record(4, { metadata: own })]
  const logOfKind = async (kind: string) =>
    (await escrow(workspaceDir(), ['log', '--kind', kind], { records: all })).out
  expect(numbers(await logOfKind('commit'))).toEqual(['4', '3', '2', '1'])
  expect(numbers(await logOfKind('landed'))).toEqual(['4'])
  expect(await logOfKind('landed')).toContain('landed')
  expect(await logOfKind('landed')).toContain(`on main as ${landed.commit}`)
})

it('log refuses an unknown session or intent, and is empty for one without records', async () => {
  const review = { changes: async () => ({ digest: '', changes: [] }) }
  const none = await escrow(workspaceDir(), ['log', '--session', 'three'], { records, review })
  expect([none.code, none.out, none.calls]).toEqual([0, 'No records.\n', expect.arrayContaining([['review', 'three']])])
  const mistyped = await escrow(workspaceDir(), ['log', '--intent', 'INT-01'], { records })
  expect([mistyped.code, mistyped.err]).toEqual([1, expect.stringContaining("Did you mean 'INT-001'?")])
  expect((await escrow(workspaceDir(), ['log', '--intent', 'INT-001', '--path', 'x'], { records })).out).toBe(
    'No records.\n',
  )
})

it('log --oneline prints short rows, and --json keeps the order of the ledger', async () => {
  const short = await escrow(workspaceDir(), ['log', '--oneline', '-n', '1'], { records })
  expect(short.out).toBe('3  commit  INT-001  src/3.ts and 1 more\n')
  const long = await escrow(workspaceDir(), ['log', '--json', '-n', '2'], { records })
  expect((JSON.parse(long.out) as TraceRecord[]).map(({ id }) => id)).toEqual(['r2', 'r3'])
})

it('log explains the date format for a wrong date, and reads nothing', async () => {
  const { code, err, calls } = await escrow(workspaceDir(), ['log', '--since', 'soon'], { records })
  expect([code, calls]).toEqual([2, []])
  expect(err).toContain("'3d'")
})

const blame: BlameLine[] = [1, 2, 3, 4].map((line) => ({ line, contributor: 'ai', model: 'm' }))

it.each([
  ['2,3', [2, 3]],
  ['2,+2', [2, 3]],
  ['3,', [3, 4]],
  [',2', [1, 2]],
  ['4', [4]],
])('blame -L %s prints these lines', async (range, lines) => {
  const root = workspaceDir()
  mkdirSync(join(root, 'src'))
  writeFileSync(join(root, 'src/a.ts'), 'one\ntwo\nthree\nfour\n')
  const { out } = await escrow(root, ['blame', '-L', range, 'src/a.ts'], { blame })
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(/ {2,}/)[4])),
  ).toEqual(lines)
})

it.each(['0', '3,2', 'x', ',', '+3', ''])('blame refuses -L %j', async (range) => {
  expect((await escrow(workspaceDir(), ['blame', '-L', range, 'a'], { blame })).code).toBe(2)
})

it('blame reports a range without lines', async () => {
  const root = workspaceDir()
  writeFileSync(join(root, 'a'), 'one\n')
  expect((await escrow(root, ['blame', '-L', '9', 'a'], { blame })).err).toContain('has no line 9.')
})

const stats: LedgerStats = {
  lines: { total: 10, ai: 5, human: 5, unknown: 0, byIntent: { 'INT-001': 5 }, byModel: {}, byClass: {} },
  approval: { approved: 1, rejected: 3, rate: 0.25 },
  rework: { days: 30, written: 0, changed: 0, rate: null },
  released: { byPeople: { commits: 0, changes: 0, undone: 0 }, byTier: {} },
}

it('stats draws bars only on a terminal that is wide enough', async () => {
  const at = async (columns?: number) =>
    (await escrow(workspaceDir(), ['stats'], { stats, ...(columns && { columns }) })).out
  expect(await at(80)).toMatch(/^lines .* 50 % {2}█{15}$/m)
  expect(await at(80)).toMatch(/^rework .* -$/m)
  for (const line of (await at(60)).split('\n')) expect(line.length).toBeLessThan(60)
  expect(await at()).not.toContain('█')
  expect(await at(30)).not.toContain('█')
})
