import { afterAll, describe, expect, it } from 'vitest'
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
    expect(await problemsAfter(APPROVED, REJECTED, { ...APPROVED, reviewer: { name: 'Bo' } })).toEqual([])
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
})
