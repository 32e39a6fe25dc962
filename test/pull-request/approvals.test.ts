import { afterAll, describe, expect, it } from 'vitest'
import { readApprovals } from '../../src/pull-request/approvals.js'
import { problemsOf } from '../../src/pull-request/problems.js'
import { changeAndRechain, check, removeTemplates, repository } from './repository.js'

afterAll(removeTemplates)

type Fields = Readonly<Record<string, unknown>>

const APPROVED: Fields = { verdict: 'approved', reviewer: { name: 'Ada' } }
const REJECTED: Fields = { verdict: 'rejected', reviewer: { name: 'Ada' } }
const UNAPPROVED = ['src/a.ts: an agent wrote lines 1-3, and no record says that anybody approved it.']

/** The problems of a pull request whose ledger has these verdicts before the commit of the agent's lines. */
async function problemsAfter(...verdicts: readonly Fields[]): Promise<readonly string[]> {
  const pr = await repository()
  await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\ny\nz\n'), 'none')
  const lines = pr.ledger()
  const at = lines.findLastIndex((line) => line.includes('"type":"verdict"'))
  const copies = verdicts.map(() => lines[at] ?? '')
  const ledger = changeAndRechain(lines.toSpliced(at, 1, ...copies), (record, n) => {
    const metadata = Object(record.metadata)['dev.escrowfs']
    metadata.seq = n + 1
    if (n >= at && n < at + verdicts.length) Object.assign(metadata, verdicts[n - at])
  })
  pr.writeLedger(ledger)
  pr.commit()
  return problemsOf(await check(pr))
}

describe('an approval', () => {
  it('applies until a later rejection, by the same reviewer or another', async () => {
    expect(await problemsAfter(APPROVED)).toEqual([])
    expect(await problemsAfter(APPROVED, REJECTED)).toEqual(UNAPPROVED)
    expect(await problemsAfter(APPROVED, { ...REJECTED, reviewer: { name: 'Bo' } })).toEqual(UNAPPROVED)
  })

  it('counts again after the rejection', async () => {
    expect(await problemsAfter(APPROVED, REJECTED, APPROVED)).toEqual([])
    // The commit names Ada.
    expect(await problemsAfter(APPROVED, REJECTED, { ...APPROVED, reviewer: { name: 'Bo' } })).toEqual(UNAPPROVED)
    expect(await problemsAfter(REJECTED, APPROVED)).toEqual([])
  })

  it('ends when it is withdrawn', async () => {
    expect(await problemsAfter(APPROVED, { ...REJECTED, verdict: 'withdrawn' })).toEqual(UNAPPROVED)
  })

  it('of hunks ends with the rejection of all of them', async () => {
    const [both, one, other] = [['h1', 'h2'], ['h1'], ['h2']].map((hunks) => ({ hunks }))
    expect(await problemsAfter({ ...APPROVED, ...both }, { ...REJECTED, ...one })).toEqual([])
    expect(await problemsAfter({ ...APPROVED, ...both }, { ...REJECTED, ...one }, { ...REJECTED, ...other })).toEqual(
      UNAPPROVED,
    )
    expect(await problemsAfter({ ...APPROVED, ...both }, REJECTED)).toEqual(UNAPPROVED)
  })

  it('of a file stays for its other hunks when one is rejected', async () => {
    expect(await problemsAfter(APPROVED, { ...REJECTED, hunks: ['h1'] })).toEqual([])
  })

  it('is not the answer to a question that names the path', async () => {
    expect(await problemsAfter({ ...APPROVED, question: 'q1', answer: 'allow' })).toEqual(UNAPPROVED)
    expect(await problemsAfter(APPROVED, { ...REJECTED, question: 'q1', answer: 'deny' })).toEqual([])
  })

  it('is used up by a commit, also one of hunks', async () => {
    const twice = async (...verdicts: readonly Fields[]) => (await approvalsIn(...verdicts, COMMIT, OTHER)).commits
    expect(await twice(APPROVED)).toEqual(new Set(['one']))
    expect(await twice({ ...APPROVED, hunks: ['h1'] })).toEqual(new Set(['one']))
    expect(await twice({ ...APPROVED, hunks: ['h1', 'h2'] })).toEqual(new Set(['one', 'two']))
    expect(await twice({ ...APPROVED, hunks: ['h1'] }, APPROVED)).toEqual(new Set(['one']))
    expect((await approvalsIn(APPROVED, COMMIT, APPROVED, OTHER)).commits).toEqual(new Set(['one', 'two']))
  })

  it('is used up by an undo, and not by a landing or another part of the commit', async () => {
    const undo = { ...COMMIT, type: 'undo' }
    expect((await approvalsIn(APPROVED, undo, OTHER)).commits).toEqual(new Set(['one']))
    const landing = { ...COMMIT, tx: null, landed: { branch: 'main', commit: '0'.repeat(40) } }
    expect((await approvalsIn(APPROVED, landing, OTHER)).commits).toEqual(new Set(['one', 'two']))
    expect((await approvalsIn(APPROVED, COMMIT, { ...OTHER, tx: '1-a' })).commits).toEqual(new Set(['one', 'two']))
  })

  it('is of the people whom the commit names', async () => {
    const bo = { ...APPROVED, reviewer: { name: 'Bo' } }
    const by = (...names: string[]) => ({ ...COMMIT, approved_by: names })
    expect((await approvalsIn(bo, by('Ada'))).commits).toEqual(new Set())
    expect((await approvalsIn(bo, by('Bo', 'Ada'))).commits).toEqual(new Set())
    expect((await approvalsIn(bo, APPROVED, by('Bo', 'Ada'))).commits).toEqual(new Set(['one']))
    expect((await approvalsIn(APPROVED, REJECTED, bo, by('Bo', 'Ada'))).commits).toEqual(new Set())
    // A long commit has several records, each with some of its paths and all of its reviewers.
    const [a, b] = [by('Ada', 'Bo'), { ...by('Ada', 'Bo'), changes: [change('src/b.ts')], id: 'two' }]
    const found = await approvalsIn(APPROVED, { ...bo, paths: ['src/b.ts'] }, a, b)
    expect(found.commits).toEqual(new Set(['one', 'two']))
  })
})

const change = (path: string) => ({ path, before: null, after: 'sha256:0' })
const COMMIT: Fields = {
  ...{ type: 'commit', id: 'one', tx: '1-a', verdict: 'approved', approved_by: ['Ada'] },
  changes: [change('src/a.ts')],
}
const OTHER: Fields = { ...COMMIT, id: 'two', tx: '2-b' }

/** The approvals in a ledger of these records of one session: verdicts on src/a.ts, and commits. */
function approvalsIn(...records: readonly Fields[]) {
  const all = records.map(({ id = 'v', ...own }) => {
    const fields = { type: 'verdict', ...(own.type === undefined && { paths: ['src/a.ts'] }), ...own }
    return { id, session_id: 's', metadata: { 'dev.escrowfs': fields } }
  })
  return readApprovals({
    async *records() {
      yield* all
    },
  })
}
