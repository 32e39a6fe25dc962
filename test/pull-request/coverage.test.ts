import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemsOf } from '../../src/pull-request/problems.js'
import { check, copyOf, LEDGER, newSignedRepository, type Repository, sha256 } from './repository.js'

const OWN = 'dev.escrowfs'
const UNSIGNED = 'Not every new commit of the ledger is signed by a key of the target branch.'

const problems = async (pr: Repository) => problemsOf(await check(pr, { keys: 'keys' }))

interface Line {
  readonly text: string
  readonly metadata: Readonly<Record<string, unknown>>
}

const parseLine = (text: string): Line => ({ text, metadata: JSON.parse(text).metadata[OWN] })

/** A record like another one, at another position of the chain. */
function forgeFrom({ text }: Line, fields: Readonly<Record<string, unknown>>): Line {
  const record = JSON.parse(text)
  return parseLine(
    JSON.stringify({ ...record, id: randomUUID(), metadata: { [OWN]: { ...record.metadata[OWN], ...fields } } }),
  )
}

/** Continues a record, and joins others. */
function follow({ text, metadata }: Line, ...joined: readonly Line[]) {
  const joins = joined.map((each) => ({
    ledger: each.metadata.ledger,
    seq: each.metadata.seq,
    hash: sha256(each.text),
  }))
  const seq = 1 + Math.max(...[metadata, ...joined.map((each) => each.metadata)].map((each) => Number(each.seq)))
  return { prev: sha256(text), seq, ...(joins.length > 0 && { joins }) }
}

describe('a checkpoint', () => {
  let template = ''
  beforeAll(async () => {
    template = await newSignedRepository(async (pr) => {
      pr.git('branch', 'other')
      await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'))
      pr.git('checkout', '-q', 'other')
      await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'y\n'))
      pr.git('checkout', '-q', 'work')
    })
  })
  afterAll(() => rmSync(template, { recursive: true, force: true }))

  /** The signed ledger up to its last commit, what follows, and a forged commit that follows in its place. */
  function setUpForged() {
    const pr = copyOf(template)
    const lines = pr.ledger().map(parseLine)
    const at = lines.findLastIndex(({ metadata }) => metadata.type === 'commit') + 1
    const [commit, checkpoint, end] = [lines[at - 1], lines[at], lines.at(-1)]
    if (commit === undefined || checkpoint?.metadata.type !== 'checkpoint' || end === undefined)
      throw new Error('Nothing is signed.')
    return {
      pr,
      before: lines.slice(0, at),
      rest: lines.slice(at),
      commit,
      end,
      forged: forgeFrom(commit, follow(commit)),
    }
  }

  function write(pr: Repository, lines: readonly Line[]) {
    pr.writeLedger(lines.map(({ text }) => text))
    pr.commit()
  }

  it.each([['merge'], ['tool_call']])('covers no branch that a later %s record joins', async (type) => {
    const { pr, before, rest, end, forged } = setUpForged()
    write(pr, [...before, forged, ...rest, forgeFrom(forged, { ...follow(end, forged), type })])
    expect(await problems(pr)).toEqual([UNSIGNED])
  })

  it('covers no line of another tool on such a branch', async () => {
    const { pr, before, rest, commit, end, forged } = setUpForged()
    const foreign = { text: JSON.stringify({ ...JSON.parse(forged.text), metadata: {} }), metadata: commit.metadata }
    write(pr, [...before, foreign, ...rest, forgeFrom(forged, { ...follow(end, foreign), type: 'merge' })])
    expect(await problems(pr)).toEqual([UNSIGNED])
  })

  it('covers its own branch, whatever is merged after it', async () => {
    const { pr, before, rest, end, forged } = setUpForged()
    const call = forgeFrom(forged, { type: 'tool_call', changes: [] })
    write(pr, [...before, call, ...rest, forgeFrom(forged, { ...follow(end, call), type: 'merge' })])
    expect(await problems(pr)).toEqual([])
  })
  it('of each of two branches covers what a record joins', async () => {
    const pr = copyOf(template)
    const [mine, main, other] = ['work', 'main', 'other'].map((branch) =>
      pr.git('show', `${branch}:${LEDGER}`).trimEnd().split('\n').map(parseLine),
    )
    const [end, last] = [mine?.at(-1), other?.at(-1)]
    if (mine === undefined || end === undefined || last === undefined) throw new Error('A branch has no ledger.')
    const added = other?.slice(main?.length) ?? []
    write(pr, [...mine, ...added, forgeFrom(end, { ...follow(last, end), type: 'merge' })])
    expect(await problems(pr)).toEqual([])
  })
})
