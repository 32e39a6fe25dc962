import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { checkPullRequest } from '../../src/pull-request/check.js'
import { problemsOf } from '../../src/pull-request/problems.js'
import { makeSigningKey } from '../../src/surface/index.js'
import { copyOf, LEDGER, newRepository, type Repository, repositoryAt, sha256 } from './repository.js'

const OWN = 'dev.escrowfs'
const UNSIGNED = 'Not every new commit of the ledger is signed by a key of the target branch.'

const problems = async (pr: Repository) => {
  const asked = { cwd: pr.root, base: 'main', head: 'HEAD', workspace: '.', keys: 'keys', requireTrailers: false }
  return problemsOf(await checkPullRequest({ ...asked, openWorkspace }))
}

interface Line {
  readonly text: string
  readonly own: Readonly<Record<string, unknown>>
}

const parsed = (text: string): Line => ({ text, own: JSON.parse(text).metadata[OWN] })

/** A record like another one, at another place of the chain. */
function madeFrom({ text }: Line, fields: Readonly<Record<string, unknown>>): Line {
  const record = JSON.parse(text)
  return parsed(
    JSON.stringify({ ...record, id: randomUUID(), metadata: { [OWN]: { ...record.metadata[OWN], ...fields } } }),
  )
}

/** Continues a record, and joins others. */
function follow({ text, own }: Line, ...joined: readonly Line[]) {
  const joins = joined.map((each) => ({ ledger: each.own.ledger, seq: each.own.seq, hash: sha256(each.text) }))
  const seq = 1 + Math.max(...[own, ...joined.map((each) => each.own)].map((each) => Number(each.seq)))
  return { prev: sha256(text), seq, ...(joins.length > 0 && { joins }) }
}

describe('a checkpoint', () => {
  let template = ''
  beforeAll(async () => {
    const state = mkdtempSync(join(tmpdir(), 'escrowfs-state-'))
    vi.stubEnv('XDG_STATE_HOME', state)
    try {
      const { file } = makeSigningKey()
      template = await newRepository((root) => {
        mkdirSync(join(root, 'keys'))
        copyFileSync(join(file, '..', 'own.pub.pem'), join(root, 'keys', 'ada.pub.pem'))
      })
      const pr = repositoryAt(template)
      pr.git('branch', 'other')
      await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'))
      pr.git('checkout', '-q', 'other')
      await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'y\n'))
      pr.git('checkout', '-q', 'work')
    } finally {
      vi.unstubAllEnvs()
      rmSync(state, { recursive: true, force: true })
    }
  })
  afterAll(() => rmSync(template, { recursive: true, force: true }))

  /** The signed ledger up to its last commit, what follows, and a forged commit that follows in its place. */
  function signed() {
    const pr = copyOf(template)
    const lines = pr.ledger().map(parsed)
    const at = lines.findLastIndex(({ own }) => own.type === 'commit') + 1
    const [commit, checkpoint, end] = [lines[at - 1], lines[at], lines.at(-1)]
    if (commit === undefined || checkpoint?.own.type !== 'checkpoint' || end === undefined)
      throw new Error('Nothing is signed.')
    return {
      pr,
      before: lines.slice(0, at),
      rest: lines.slice(at),
      commit,
      end,
      forged: madeFrom(commit, follow(commit)),
    }
  }

  function write(pr: Repository, lines: readonly Line[]) {
    pr.writeLedger(lines.map(({ text }) => text))
    pr.commit()
  }

  it.each([['merge'], ['tool_call']])('covers no branch that a later %s record joins', async (type) => {
    const { pr, before, rest, end, forged } = signed()
    write(pr, [...before, forged, ...rest, madeFrom(forged, { ...follow(end, forged), type })])
    expect(await problems(pr)).toEqual([UNSIGNED])
  })

  it('covers no line of another tool on such a branch', async () => {
    const { pr, before, rest, commit, end, forged } = signed()
    const foreign = { text: JSON.stringify({ ...JSON.parse(forged.text), metadata: {} }), own: commit.own }
    write(pr, [...before, foreign, ...rest, madeFrom(forged, { ...follow(end, foreign), type: 'merge' })])
    expect(await problems(pr)).toEqual([UNSIGNED])
  })

  it('covers its own branch, whatever is merged after it', async () => {
    const { pr, before, rest, end, forged } = signed()
    const call = madeFrom(forged, { type: 'tool_call', changes: [] })
    write(pr, [...before, call, ...rest, madeFrom(forged, { ...follow(end, call), type: 'merge' })])
    expect(await problems(pr)).toEqual([])
  })
  it('of each of two branches covers what a record joins', async () => {
    const pr = copyOf(template)
    const [mine, main, other] = ['work', 'main', 'other'].map((branch) =>
      pr.git('show', `${branch}:${LEDGER}`).trimEnd().split('\n').map(parsed),
    )
    const [end, last] = [mine?.at(-1), other?.at(-1)]
    if (mine === undefined || end === undefined || last === undefined) throw new Error('A branch has no ledger.')
    const added = other?.slice(main?.length) ?? []
    write(pr, [...mine, ...added, madeFrom(end, { ...follow(last, end), type: 'merge' })])
    expect(await problems(pr)).toEqual([])
  })
})
