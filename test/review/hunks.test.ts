import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change, Review, Session, Workspace } from '../../src/core/api.js'
import {
  failure,
  metadataOf,
  reasonOf,
  recordsOf,
  startSession,
  type TestWorkspace,
  testWorkspace,
} from '../support/workspace.js'

const numberedLines = (edits: Record<number, string> = {}, count = 30) =>
  Array.from({ length: count }, (_, line) => `${edits[line] ?? `line ${line}`}\n`).join('')
const FILES = { 'src/a.ts': numberedLines(), 'src/b.ts': numberedLines() }

interface Scene {
  readonly project: TestWorkspace
  readonly workspace: Workspace
  readonly session: Session
  readonly review: Review
  change(path?: string): Promise<Change | undefined>
  /** Hunks as `state first-line`. */
  hunks(path?: string): Promise<string[]>
  id(line: number, path?: string): Promise<string>
}

async function scene(files: Record<string, string> = FILES): Promise<Scene> {
  const project = testWorkspace(files)
  const workspace = await project.open()
  const session = await startSession(workspace)
  const review = await workspace.review('agent')
  const change = async (path = 'src/a.ts') => (await review.changes()).changes.find((each) => each.path === path)
  const hunks = async (path?: string) =>
    ((await change(path))?.hunks ?? []).map((hunk) => `${hunk.state} ${firstLine(hunk.text)}`)
  const id = async (line: number, path?: string) => {
    const found = (await change(path))?.hunks.find(({ text }) => firstLine(text) === line)
    return found?.id ?? expect.unreachable(`no hunk at line ${line}`)
  }
  return { project, workspace, session, review, change, hunks, id }
}

const firstLine = (text: string) => Number(/^\+new (\d+)$/m.exec(text)?.[1] ?? /^-line (\d+)$/m.exec(text)?.[1])
const editLines = (...lines: number[]) => numberedLines(Object.fromEntries(lines.map((line) => [line, `new ${line}`])))

describe('verdicts on hunks', () => {
  it('identify a hunk by so many bits that nobody finds two hunks with one id', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2))
    expect(await s.id(2)).toMatch(/^h_[0-9a-f]{40}$/)
  })

  it('commit base and approved hunks exactly; the rest stays staged on the new base', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12, 22))
    const [first, last] = [await s.id(2), await s.id(22)]
    const verdict = await s.review.approve({ hunks: [last, first] }, { name: 'Ann' })
    expect(verdict).toMatchObject({ paths: ['src/a.ts'], hunks: [first, last] })
    expect(await s.hunks()).toEqual(['approved 2', 'pending 12', 'approved 22'])
    expect((await s.change())?.state).toBe('pending')

    const shown = await s.change()
    expect(await s.review.commit()).toMatchObject({ committed: ['src/a.ts'], conflicts: [] })
    expect(s.project.text('src/a.ts')).toBe(editLines(2, 22))
    expect(s.session.fs.readFileSync('src/a.ts', 'utf8')).toBe(editLines(2, 12, 22))
    expect(await s.hunks()).toEqual(['pending 12'])
    await s.session.flush()
    expect(await s.hunks()).toEqual(['pending 12'])

    const records = (await recordsOf(s.workspace)).map(metadataOf)
    expect(records.find(({ type }) => type === 'verdict')).toMatchObject({
      paths: ['src/a.ts'],
      hunks: [last, first].reverse(),
    })
    const commit = records.find(({ type }) => type === 'commit')
    const landed = (await s.change())?.before
    expect(commit).toMatchObject({ approved_by: ['Ann'], changes: [{ before: shown?.before, after: landed }] })
    await s.review.approve({ hunks: [await s.id(12)] })
    await s.review.commit()
    await s.session.flush()
    expect(s.project.text('src/a.ts')).toBe(editLines(2, 12, 22))
    expect(await s.change()).toBeUndefined()
  })

  it('credit the agent with the committed lines only', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    await s.review.approve({ hunks: [await s.id(12)] })
    await s.review.commit()
    const record = (await recordsOf(s.workspace)).find((each) => metadataOf(each).type === 'commit')
    expect(record?.files).toMatchObject([{ path: 'src/a.ts', ranges: [{ start_line: 13, end_line: 13 }] }])
  })

  it('keep a rejected hunk staged through the commit of its neighbours, and report place and reason to the agent', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    await s.review.reject({ hunks: [await s.id(12)] }, 'Not that line.', { name: 'Ann' })
    expect((await s.review.approve()).paths).toEqual(['src/a.ts'])
    expect(await s.hunks()).toEqual(['approved 2', 'rejected 12'])
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(editLines(2))
    expect(await s.hunks()).toEqual(['rejected 12'])
    expect((await s.change())?.state).toBe('rejected')
    expect((await s.review.commit()).committed).toEqual([])

    expect(await s.session.feedback()).toEqual([
      { path: 'src/a.ts', lines: [[10, 16]], kind: 'rejected', reason: 'Not that line.', by: { name: 'Ann' } },
    ])
    const write = () => s.session.fs.writeFileSync('src/a.ts', editLines(2))
    const denied = await failure(write)
    expect(denied).toMatchObject({
      reason: 'user_rejected',
      hint: expect.stringContaining('Ann rejected lines 10 to 16 of'),
    })
    write()
    expect(await s.session.feedback()).toEqual([])
  })

  it('keep a rejected file rejected after one of its hunks was approved and committed', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12, 22))
    await s.review.reject('src/a.ts', 'no')
    await s.review.approve({ hunks: [await s.id(12)] })
    expect(await s.hunks()).toEqual(['rejected 2', 'approved 12', 'rejected 22'])
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(editLines(12))
    expect(await s.hunks()).toEqual(['rejected 2', 'rejected 22'])
    expect(await s.session.feedback()).toHaveLength(1)
    expect(await reasonOf(() => s.session.fs.appendFileSync('src/a.ts', 'x\n'))).toBe('user_rejected')
    s.session.fs.appendFileSync('src/a.ts', 'x\n')
  })

  it('apply while the hunk is the same, whatever the agent writes elsewhere', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    await s.review.approve({ hunks: [await s.id(2), await s.id(12)] })
    s.session.fs.writeFileSync('src/a.ts', `top\n${editLines(12, 22)}`.replace('line 2\n', 'other 2\n'))
    expect(await s.hunks()).toEqual(['pending 2', 'approved 12', 'pending 22'])
    expect((await s.review.commit()).committed).toEqual(['src/a.ts'])
    expect(s.project.text('src/a.ts')).toBe(editLines(12))
  })

  it('on the file and on its hunks: the latest applies to what it covers', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    await s.review.approve('src/a.ts')
    await s.review.reject({ hunks: [await s.id(2)] }, 'no')
    expect(await s.hunks()).toEqual(['rejected 2', 'approved 12'])
    await s.review.approve('src/a.ts')
    expect(await s.hunks()).toEqual(['approved 2', 'approved 12'])
    s.session.fs.appendFileSync('src/a.ts', 'more\n')
    // The verdict on the file is void, and the previous one does not return.
    expect((await s.hunks()).slice(0, 2)).toEqual(['pending 2', 'pending 12'])
    expect((await s.change())?.flags).toContain('verdict-void')
  })

  it('are refused if the hunk has changed since it was shown', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    const [hunk, other] = [await s.id(2), await s.id(12)]
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12).replace('new 2\n', 'newer 2\n'))
    expect(await reasonOf(() => s.review.approve({ hunks: [hunk] }))).toBe('stale_file')
    expect((await s.review.approve({ hunks: [other] })).hunks).toEqual([other])
    expect(await reasonOf(async () => (await s.workspace.review('agent')).approve({ hunks: [hunk] }))).toBe(
      'nothing_selected',
    )
  })

  it('leave the mode to the verdict on the file', async () => {
    const s = await scene()
    const mode = () => import('node:fs').then(({ statSync }) => statSync(`${s.project.root}/src/a.ts`).mode & 0o777)
    const was = await mode()
    s.session.fs.writeFileSync('src/a.ts', editLines(2))
    s.session.fs.chmodSync('src/a.ts', 0o755)
    await s.review.approve({ hunks: [await s.id(2)] })
    expect((await s.change())?.state).toBe('pending')
    await s.review.commit()
    expect([s.project.text('src/a.ts'), await mode()]).toEqual([editLines(2), was])
    expect(await s.change()).toMatchObject({ kind: 'mode', mode: { before: was, after: 0o755 }, state: 'pending' })
  })

  it('that reject a hunk stay when the rest of the change is approved, including its mode', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    s.session.fs.chmodSync('src/a.ts', 0o755)
    await s.review.reject({ hunks: [await s.id(12)] }, 'no')
    await s.review.approve()
    expect(await s.hunks()).toEqual(['approved 2', 'rejected 12'])
    await s.review.commit()
    const { statSync } = await import('node:fs')
    expect([s.project.text('src/a.ts'), statSync(`${s.project.root}/src/a.ts`).mode & 0o777]).toEqual([
      editLines(2),
      0o755,
    ])
    expect(await s.change()).toMatchObject({ kind: 'modify', state: 'rejected' })
    expect((await s.review.approve()).paths).toEqual([])
  })

  it('of a renamed file need the rename, which a verdict on the file gives', async () => {
    const s = await scene()
    s.session.fs.renameSync('src/a.ts', 'src/c.ts')
    s.session.fs.writeFileSync('src/c.ts', editLines(2, 12))
    const hunk = await s.id(2, 'src/c.ts')
    const error = await failure(() => s.review.approve({ hunks: [hunk] }))
    expect(error).toMatchObject({
      reason: 'unsupported',
      hint: expect.stringContaining('Approve the whole path src/c.ts'),
    })
    await s.review.approve('src/c.ts')
    await s.review.reject({ hunks: [hunk] }, 'no')
    expect(await s.hunks('src/c.ts')).toEqual(['rejected 2', 'approved 12'])
    await s.review.commit()
    expect(s.project.text('src/c.ts')).toBe(editLines(12))
    expect(await reasonOf(() => s.project.text('src/a.ts'))).toBeUndefined()
    expect(await s.hunks('src/c.ts')).toEqual(['rejected 2'])
    expect(await s.change('src/c.ts')).toMatchObject({ kind: 'modify', state: 'rejected' })
    await s.session.flush()
    expect(s.session.fs.readFileSync('src/c.ts', 'utf8')).toBe(editLines(2, 12))
  })

  it('of a creation, a deletion or a link are verdicts on the whole change', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/new.ts', 'new 1\n')
    s.session.fs.unlinkSync('src/b.ts')
    s.session.fs.symlinkSync('a.ts', 'src/link')
    const { changes } = await s.review.changes()
    expect(changes.map(({ hunks }) => hunks.length)).toEqual([1, 1, 1])
    const verdict = await s.review.approve({ hunks: changes.flatMap(({ hunks }) => hunks.map(({ id }) => id)) })
    expect(verdict.hunks).toBeUndefined()
    expect(verdict.paths).toEqual(['src/b.ts', 'src/link', 'src/new.ts'])
    expect((await s.review.commit()).committed).toHaveLength(3)
  })

  it('are refused on a file whose base has changed', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', editLines(2, 12))
    const hunk = await s.id(2)
    await s.review.approve({ hunks: [hunk] })
    s.project.write('src/a.ts', `theirs\n${numberedLines()}`)
    expect(await reasonOf(() => s.review.approve({ hunks: [hunk] }))).toBe('stale_file')
    expect(await reasonOf(() => s.review.commit())).toBe('stale_file')
    expect(s.project.text('src/a.ts')).toBe(`theirs\n${numberedLines()}`)
  })

  it('distinguish two hunks with the same text, and become void if that is impossible', async () => {
    const block = `${numberedLines({}, 8)}same\n${numberedLines({}, 8)}`
    const s = await scene({ 'src/a.ts': block.repeat(2) })
    const both = block.replace('same', 'other').repeat(2)
    s.session.fs.writeFileSync('src/a.ts', both)
    const [first, second] = (await s.change())?.hunks ?? []
    await s.review.reject({ hunks: [second?.id ?? ''] }, 'no')
    await s.review.approve({ hunks: [first?.id ?? ''] })
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(block.replace('same', 'other') + block)
    // The remaining one cannot have the verdict of the committed one.
    expect((await s.change())?.hunks.map(({ state }) => state)).toEqual(['pending'])
  })
})

it('undoes a commit in part', async () => {
  const s = await scene()
  s.session.fs.writeFileSync('src/a.ts', editLines(2, 22))
  await s.review.approve()
  const { id } = await s.review.commit()
  const undo = await s.workspace.undo(id)
  const [first] = (await undo.changes()).changes[0]?.hunks ?? []
  await undo.approve({ hunks: [first?.id ?? ''] })
  expect((await undo.commit()).committed).toEqual(['src/a.ts'])
  expect(s.project.text('src/a.ts')).toBe(editLines(22))
})

describe('verdicts on tool calls', () => {
  it('cover the writes of a call, and name other writers too', async () => {
    const s = await scene()
    const call = (id: string, run: () => void) => s.session.toolCall({ tool: 't', kind: 'edit', id }, run)
    await call('c1', () => s.session.fs.writeFileSync('src/a.ts', editLines(2)))
    await call('c2', () => {
      s.session.fs.appendFileSync('src/a.ts', 'more\n')
      s.session.fs.unlinkSync('src/b.ts')
    })
    expect((await s.change())?.calls).toEqual(['c1', 'c2'])
    expect((await s.change('src/b.ts'))?.calls).toEqual(['c2'])
    expect(await failure(() => s.review.approve({ calls: ['c1'] }))).toMatchObject({
      reason: 'unsupported',
      refused: [{ path: 'src/a.ts', message: "src/a.ts was also written by 'c2'." }],
    })
    expect((await s.review.reject({ calls: ['c1', 'c2'] }, 'no')).paths).toEqual(['src/b.ts', 'src/a.ts'])
    const again = await s.project.open()
    expect((await (await again.review('agent')).changes()).changes.map(({ calls }) => calls)).toEqual([
      ['c2'],
      ['c1', 'c2'],
    ])
  })
})

it('commits base and any hunks of any edit, and then the rest', async () => {
  const s = await scene()
  const line = fc.constantFrom('a', 'b', 'c', '}', '', 'a\r')
  const edit = fc.tuple(fc.nat(39), fc.constantFrom('put', 'drop', 'add'), line)
  const text = (lines: string[], ended: boolean) => lines.join('\n') + (ended ? '\n' : '')
  const cases = fc.tuple(
    fc.array(line, { minLength: 1, maxLength: 40 }),
    fc.array(edit, { minLength: 1, maxLength: 6 }),
    fc.tuple(fc.boolean(), fc.boolean()),
    fc.infiniteStream(fc.boolean()),
  )
  let count = 0
  await fc.assert(
    fc.asyncProperty(cases, async ([lines, edits, [ended, stillEnded], picks]) => {
      const now = [...lines]
      for (const [at, kind, given] of edits)
        now.splice(at % (now.length + 1), kind === 'add' ? 0 : 1, ...(kind === 'drop' ? [] : [given]))
      const [before, after] = [text(lines, ended), text(now, stillEnded)]
      const path = `src/p${count++}.ts`
      s.project.write(path, before)
      s.session.fs.writeFileSync(path, after)
      const ids = ((await s.change(path))?.hunks ?? []).map(({ id }) => id)
      const chosen = ids.filter(() => picks.next().value)
      if (chosen.length > 0) await s.review.approve({ hunks: chosen })
      const { diffFile } = await import('../../src/review/diff.js')
      const landed = Buffer.from(diffFile(Buffer.from(before), Buffer.from(after), path).take(new Set(chosen)))
      await s.review.commit()
      expect(s.project.text(path)).toBe(ids.length === 0 ? after : landed.toString())
      expect(s.session.fs.readFileSync(path, 'utf8')).toBe(after)
      const rest = ((await s.change(path))?.hunks ?? []).map(({ id }) => id)
      if (rest.length > 0) await s.review.approve({ hunks: rest })
      await s.review.commit()
      await s.session.flush()
      expect(s.project.text(path)).toBe(after)
      expect(await s.change(path)).toBeUndefined()
    }),
    { numRuns: Number(process.env.ESCROWFS_FUZZ_RUNS ?? 25) },
  )
})
