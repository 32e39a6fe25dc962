import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openLedger } from '../../src/trace/ledger.js'
import { fuzzParameters } from '../support/fuzz.js'
import { commitAll, git } from '../support/git.js'
import { collect, draftOf, drafts, fileOf, linesOf, metadataOf, sha } from './support.js'

/** The ledger of a team: clones of one repository, each with its own ledger that git merges line by line. */
class Team {
  readonly dir = mkdtempSync(join(tmpdir(), 'escrowfs-merges-'))
  #clones = 0

  constructor() {
    git(this.dir, 'init', '-q', '--bare', '-b', 'main', 'origin')
  }

  clone(): Layout {
    const root = join(this.dir, `clone-${++this.#clones}`)
    git(this.dir, 'clone', '-q', 'origin', root)
    const layout = layoutAt(root)
    mkdirSync(layout.dir, { recursive: true })
    writeFileSync(`${layout.gitignore}`, '*/\n')
    writeFileSync(join(layout.dir, '.gitattributes'), 'agent_trace.jsonl merge=union\n')
    return layout
  }

  /** Merges what others pushed, joins the ledger, and pushes. */
  async sync(layout: Layout): Promise<void> {
    commitAll(layout.root)
    git(layout.root, 'fetch', '-q')
    if (git(layout.root, 'branch', '-r').includes('origin/main')) {
      git(layout.root, 'merge', '-q', '--no-edit', '--allow-unrelated-histories', 'origin/main')
    }
    await openLedger(layout).join({ name: 'Ada' })
    commitAll(layout.root)
    git(layout.root, 'push', '-q', 'origin', 'HEAD:main')
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

describe('a ledger that git merged', () => {
  const teams: Team[] = []
  afterEach(() => {
    for (const team of teams.splice(0)) team.remove()
    vi.unstubAllEnvs()
  })
  function newTeam(): Team {
    const team = new Team()
    teams.push(team)
    return team
  }

  /** Two clones with two common records and two of their own each; the first has pushed, the second has merged. */
  async function setUpMerge(): Promise<{ team: Team; first: Layout; second: Layout }> {
    const team = newTeam()
    const first = team.clone()
    await openLedger(first).append(drafts(2))
    await team.sync(first)
    const second = team.clone()
    await openLedger(first).append(drafts(2))
    await team.sync(first)
    await openLedger(second).append([draftOf(), draftOf({ type: 'commit' })])
    commitAll(second.root)
    git(second.root, 'pull', '-q', '--no-rebase', '--no-edit')
    return { team, first, second }
  }

  it('is a fork until a person joins it, and verifies afterwards', async () => {
    const { second } = await setUpMerge()
    expect(linesOf(second)).toHaveLength(6)
    const ledger = openLedger(second)
    expect(await ledger.verify()).toMatchObject({
      ok: false,
      firstBad: { line: 5, reason: expect.stringContaining('the chain forks there') },
    })
    await expect(ledger.append(drafts(1))).rejects.toMatchObject({
      reason: 'ledger_fork',
      hint: expect.stringContaining('escrow verify --join'),
    })
    await expect(ledger.head()).rejects.toMatchObject({ reason: 'ledger_fork' })
    expect(await ledger.join({ name: 'Ada' })).toMatchObject({ seq: 5 })
    const record = metadataOf(linesOf(second).at(-1) ?? '')
    expect(record).toMatchObject({ type: 'merge', seq: 5, reviewer: { name: 'Ada' } })
    expect(await ledger.join({ name: 'Ada' })).toBeUndefined()
    await ledger.append(drafts(3))
    for (const each of [ledger, openLedger(second)]) {
      expect(await each.verify()).toMatchObject({ ok: true, records: 10, anchored: 8 })
    }
  })

  it('continues in a clone that merges it, after the clone’s own records', async () => {
    const { team, first, second } = await setUpMerge()
    await openLedger(second).join()
    await team.sync(second)
    await openLedger(first).append([draftOf(), draftOf({ type: 'commit' })])
    commitAll(first.root)
    git(first.root, 'pull', '-q', '--no-rebase', '--no-edit')
    expect((await openLedger(first).verify()).ok).toBe(false)
    await openLedger(first).join()
    expect(await openLedger(first).verify()).toMatchObject({ ok: true, records: 10 })
    await openLedger(first).append([draftOf({ type: 'commit' })])
    expect(await openLedger(first).verify()).toMatchObject({ ok: true, anchored: 8 })
  })

  it('with conflict markers is refused by each reader and each append', async () => {
    const { second } = await setUpMerge()
    const lines = linesOf(second)
    // As git, or its host, leaves it without .gitattributes.
    const conflict = lines.toSpliced(2, 0, '<<<<<<< HEAD').toSpliced(5, 0, '=======').concat('>>>>>>> origin/main')
    writeFileSync(`${second.ledgerFile}`, fileOf(conflict))
    const ledger = openLedger(second)
    const says = expect.stringContaining('line 3 is a conflict marker of git')
    const hint = expect.stringContaining('escrow verify --join')
    expect(await ledger.verify()).toMatchObject({
      ok: false,
      firstBad: { line: 3, reason: expect.stringContaining('Line 3 is a conflict marker of git: keep the lines') },
    })
    for (const use of [() => ledger.append(drafts(1)), () => ledger.join(), () => collect(ledger.records())])
      await expect(use(), String(use)).rejects.toMatchObject({ reason: 'ledger_corrupt', hint })
    await expect(collect(ledger.records())).rejects.toMatchObject({ message: says })
    writeFileSync(join(second.root, 'a.ts'), 'a\n')
    await expect(ledger.blame('a.ts')).rejects.toMatchObject({ message: says, hint })
    expect(readFileSync(`${second.ledgerFile}`, 'utf8')).toBe(fileOf(conflict))
  })

  it.each([
    ['in merged order', [2, 3, 4, 5]],
    ['with the other side first', [4, 5, 2, 3]],
    ['interleaved', [4, 2, 5, 3]],
  ])('whose conflict a person has resolved, the lines of both sides %s, is joined', async (_, order) => {
    const { second } = await setUpMerge()
    const lines = linesOf(second)
    writeFileSync(`${second.ledgerFile}`, fileOf([...lines.slice(0, 2), ...order.map((n) => lines[n] ?? '')]))
    expect((await openLedger(second).verify()).ok).toBe(false)
    await openLedger(second).join({ name: 'Ada' })
    expect(await openLedger(second).verify()).toMatchObject({ ok: true, records: 7 })
  })

  it('of which a person kept only one side fails if the other was anchored', async () => {
    const { second } = await setUpMerge()
    const lines = linesOf(second)
    writeFileSync(`${second.ledgerFile}`, fileOf(lines.slice(0, 4)))
    rmSync(second.ledgerDir, { recursive: true })
    const verified = await openLedger(second).verify()
    writeFileSync(`${second.ledgerFile}`, fileOf([...lines.slice(0, 2), ...lines.slice(4)]))
    const other = await openLedger(second).verify()
    expect([verified.ok, other.ok].sort()).toEqual([false, true])
  })

  it('of two separately started ledgers is one ledger', async () => {
    const team = newTeam()
    const [first, second] = [team.clone(), team.clone()]
    await openLedger(first).append(drafts(2))
    await openLedger(second).append([draftOf({ type: 'commit' })])
    await team.sync(first)
    await team.sync(second)
    expect(await openLedger(second).verify()).toMatchObject({ ok: true, records: 4 })
    await openLedger(second).append([draftOf({ type: 'commit' })])
    expect(await openLedger(second).verify()).toMatchObject({ ok: true, records: 5 })
  })

  it('keeps lines of other tools on their branch', async () => {
    const team = newTeam()
    const first = team.clone()
    await openLedger(first).append(drafts(1))
    await team.sync(first)
    const second = team.clone()
    for (const each of [first, second]) {
      await openLedger(each).append(drafts(1))
      appendFileSync(`${each.ledgerFile}`, `{"version":"0.1.0","id":"${each.root}","files":[]}\n`)
      await team.sync(each)
    }
    const ledger = openLedger(second)
    expect(await ledger.verify()).toMatchObject({ ok: true, records: 6 })
    const changed = linesOf(second).with(2, '{"version":"0.1.0","files":[{}]}')
    writeFileSync(`${second.ledgerFile}`, fileOf(changed))
    expect((await openLedger(second).verify()).ok).toBe(false)
  })

  it('is not joined if a branch lacks an anchored record, or was changed', async () => {
    const { second } = await setUpMerge()
    const lines = linesOf(second)
    writeFileSync(`${second.ledgerFile}`, fileOf(lines.toSpliced(3, 1)))
    rmSync(second.ledgerDir, { recursive: true })
    await expect(openLedger(second).join()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    writeFileSync(`${second.ledgerFile}`, fileOf(lines.with(2, (lines[2] ?? '').replace('INT-001', 'INT-002'))))
    await expect(openLedger(second).join()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    expect(linesOf(second)).toHaveLength(6)
  })

  it('is joined over a torn last line, which the record names, and over one without an LF', async () => {
    for (const torn of ['{"version":"0.1.0","id":', '\0\0', undefined]) {
      const { second } = await setUpMerge()
      const whole = fileOf(linesOf(second))
      writeFileSync(`${second.ledgerFile}`, torn === undefined ? whole.slice(0, -1) : whole + torn)
      rmSync(second.ledgerDir, { recursive: true })
      await openLedger(second).join()
      expect(await openLedger(second).verify()).toMatchObject({ ok: true, records: 7 })
      const recorded = metadataOf(linesOf(second).at(-1) ?? '').torn
      expect(recorded).toEqual(torn && { bytes: torn.length, sha256: sha(torn), saved_as: 'agent_trace.jsonl.torn-1' })
    }
  })

  it('is joined once, wherever the join was interrupted', async () => {
    const { second } = await setUpMerge()
    const before = readFileSync(`${second.ledgerFile}`).length
    await openLedger(second).join()
    const whole = readFileSync(`${second.ledgerFile}`)
    const copies = readdirSync(second.ledgerDir).map((n) => [n, readFileSync(join(second.ledgerDir, n))] as const)
    for (const end of [before, before + 1, whole.length - 1]) {
      // Each cut happens to a machine that has not seen another.
      vi.stubEnv('XDG_STATE_HOME', join((await setUpMerge()).team.dir, 'state'))
      rmSync(second.ledgerDir, { recursive: true })
      mkdirSync(second.ledgerDir)
      for (const [name, bytes] of copies) writeFileSync(join(second.ledgerDir, name), bytes)
      writeFileSync(`${second.ledgerFile}`, whole.subarray(0, end))
      await openLedger(second).join()
      expect(readFileSync(`${second.ledgerFile}`).subarray(0, whole.length).equals(whole)).toBe(true)
      await openLedger(second).append(drafts(1))
      expect(await openLedger(second).verify()).toMatchObject({ ok: true })
    }
  })

  it('reports a branch that is removed later, in whole or in part', async () => {
    const { second } = await setUpMerge()
    await openLedger(second).join()
    await openLedger(second).append(drafts(1))
    const lines = linesOf(second)
    rmSync(second.ledgerDir, { recursive: true })
    for (const [from, count] of [
      [2, 2],
      [4, 2],
      [5, 1],
      [3, 1],
      [6, 1],
    ] as const) {
      writeFileSync(`${second.ledgerFile}`, fileOf(lines.toSpliced(from, count)))
      expect((await openLedger(second).verify()).ok, `${from}`).toBe(false)
    }
  })

  it('belongs to the current branch: each has its own end, copies and anchor', async () => {
    const layout = newTeam().clone()
    const landing = async (count: number) => {
      await openLedger(layout).append([...drafts(count - 1), draftOf({ type: 'commit' })])
      commitAll(layout.root)
    }
    await landing(3)
    git(layout.root, 'switch', '-q', '-c', 'feature')
    await landing(20)
    git(layout.root, 'switch', '-q', 'main')
    const absent = { from: 4, seq: 23, at: expect.any(String) }
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 3, anchored: 3, absent })
    await landing(2)
    expect(await openLedger(layout).verify()).toMatchObject({
      ok: true,
      records: 5,
      anchored: 5,
      absent: { from: 6, seq: 23 },
    })
    git(layout.root, 'switch', '-q', 'feature')
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 23, anchored: 23 })
    writeFileSync(`${layout.ledgerFile}`, fileOf(linesOf(layout).slice(0, -1)))
    expect(await openLedger(layout).verify()).toMatchObject({ ok: false, firstBad: { line: 23 } })
    git(layout.root, 'restore', '.')
    git(layout.root, 'merge', '-q', '--no-edit', 'main')
    await openLedger(layout).join()
    expect(await openLedger(layout).verify()).toEqual({ ok: true, records: 26, anchored: 24 })
  })

  it('of a branch that was reset is cut, until a person accepts it', async () => {
    const layout = newTeam().clone()
    for (const count of [2, 20]) {
      await openLedger(layout).append([...drafts(count - 1), draftOf({ type: 'commit' })])
      commitAll(layout.root)
    }
    git(layout.root, 'reset', '-q', '--hard', 'HEAD~1')
    const ledger = openLedger(layout)
    expect(await ledger.verify()).toMatchObject({ ok: false, firstBad: { line: 3 } })
    await expect(ledger.append(drafts(1))).rejects.toMatchObject({
      reason: 'ledger_corrupt',
      hint: expect.stringContaining('escrow verify --anchor'),
    })
    expect(await ledger.anchor()).toMatchObject({ seq: 2 })
    await ledger.append(drafts(1))
    expect(await openLedger(layout).verify()).toMatchObject({ ok: true, records: 3 })
  })

  it('verifies in every clone, in any order of merges, and shows tampering', async () => {
    const moves = fc.array(
      fc.record({ who: fc.nat(2), what: fc.constantFrom('append', 'append', 'sync', 'sync'), n: fc.nat(2) }),
      { minLength: 3, maxLength: 8 },
    )
    const harm = fc.record({ who: fc.nat(2), how: fc.constantFrom('drop', 'repeat', 'flip', 'swap'), at: fc.nat() })
    await fc.assert(
      fc.asyncProperty(moves, harm, async (steps, { who, how, at }) => {
        const team = new Team()
        try {
          const first = team.clone()
          await openLedger(first).append(drafts(2))
          await team.sync(first)
          const clones = [first, team.clone(), team.clone()]
          for (const { who, what, n } of steps) {
            const layout = clones[who] ?? first
            if (what === 'sync') await team.sync(layout)
            else await openLedger(layout).append([...drafts(n), draftOf({ type: 'commit' })])
          }
          for (const layout of clones) {
            await team.sync(layout)
            expect(await openLedger(layout).verify()).toMatchObject({ ok: true, records: linesOf(layout).length })
          }
          const layout = clones[who] ?? first
          writeFileSync(`${layout.ledgerFile}`, damageLines(linesOf(layout), how, at))
          expect((await openLedger(layout).verify()).ok, how).toBe(false)
        } finally {
          team.remove()
        }
      }),
      fuzzParameters(5),
    )
  })
})

function damageLines(lines: string[], how: string, at: number): string {
  // Only the next anchor proves the records after the last one.
  const i = at % (lines.length - 1)
  const line = lines[i] ?? ''
  if (how === 'drop') return fileOf(lines.toSpliced(i, 1))
  if (how === 'repeat') return fileOf(lines.toSpliced(i + 1, 0, line))
  if (how === 'flip') return fileOf(lines.with(i, line.replace('"version":"0.1.0"', '"version":"0.1.1"')))
  const next = lines[i + 1]
  // Lines of two branches may be in either order: git's merges differ in that.
  if (next === undefined || metadataOf(next).prev !== sha(line)) return fileOf(lines.toSpliced(i, 1))
  return fileOf(lines.with(i, next).with(i + 1, line))
}
