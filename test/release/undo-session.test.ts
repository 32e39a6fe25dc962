import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Session, Workspace } from '../../src/core/api.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { removeTree } from '../../src/os/write.js'
import { listing } from '../commit/kit.js'
import {
  failure,
  metadataOf,
  reasonOf,
  recordsOf,
  startSession,
  type TestWorkspace,
  testWorkspace,
} from '../support/workspace.js'

const ANN = { name: 'Ann' }

/** Lets an agent work; a person approves and commits everything. */
async function commitWork(workspace: Workspace, work: (fs: Session['fs']) => void, id = 'agent') {
  const agent = await startSession(workspace, id)
  work(agent.fs)
  await agent.close()
  return commitAll(workspace, id)
}

async function commitAll(workspace: Workspace, id: string) {
  const review = await workspace.review(id)
  await review.approve(undefined, ANN)
  return review.commit()
}

/** A tree with an entry of every kind. */
function plant(project: TestWorkspace): void {
  project.write('src/run.sh', 'echo\n')
  project.write('src/gone/deep/x.ts', 'x\n')
  project.write('src/old-name.ts', 'moved\nand kept\n')
  symlinkSync('a.ts', `${project.root}/src/link`)
  symlinkSync('../../outside', `${project.root}/src/turned`)
  mkdirSync(`${project.root}/src/empty`)
  chmodSync(`${project.root}/src/empty`, 0o750)
  chmodSync(`${project.root}/src/gone`, 0o711)
  chmodSync(`${project.root}/src/gone/deep/x.ts`, 0o600)
}

/** A change of every kind. */
function changeAll(fs: Session['fs']): void {
  fs.writeFileSync('src/a.ts', 'a one\na TWO\n')
  fs.mkdirSync('src/new/deep', { recursive: true })
  fs.writeFileSync('src/new/deep/n.ts', 'n\n')
  fs.mkdirSync('src/hollow')
  fs.chmodSync('src/run.sh', 0o755)
  fs.chmodSync('src/sub', 0o700)
  fs.rmSync('src/gone', { recursive: true })
  fs.rmdirSync('src/empty')
  fs.renameSync('src/old-name.ts', 'src/new/new-name.ts')
  fs.unlinkSync('src/link')
  fs.unlinkSync('src/turned')
  fs.writeFileSync('src/turned', 'a file now\n')
  fs.unlinkSync('src/b.ts')
  fs.mkdirSync('src/b.ts')
  fs.writeFileSync('src/b.ts/inside', 'i\n')
}

describe('an undo', () => {
  it('is available for as many commits as policy says', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const write = (text: string) => commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', text), `writes-${text}`)
    for (const text of ['1', '2']) await write(text)
    project.write('.orchestration/policy.yaml', 'limits: {undo_commits: 2}\n')
    expect((await (await workspace.undo('1')).changes()).changes).toHaveLength(1)
    await write('3')
    expect(await reasonOf(() => workspace.undo('1'))).toBe('undo_expired')
    expect((await (await workspace.undo('2')).changes()).changes).toMatchObject([
      { path: 'src/a.ts', flags: ['drifted'] },
    ])
  })

  it('stages the inverse of every kind of change, commits it when approved, and can be undone itself', async () => {
    const project = testWorkspace()
    plant(project)
    const before = listing(project.root)
    const workspace = await project.open()
    const commit = await commitWork(workspace, changeAll)
    const after = listing(project.root)
    expect(after).not.toEqual(before)

    const undo = await workspace.undo(commit.id)
    expect(listing(project.root)).toEqual(after)
    const { changes } = await undo.changes()
    expect(changes.flatMap(({ flags }) => flags)).not.toContain('drifted')
    expect(changes.find(({ path }) => path === 'src/old-name.ts')).toMatchObject({
      kind: 'rename',
      from: 'src/new/new-name.ts',
    })
    expect((await undo.commit()).committed).toEqual([])
    const undone = await commitAll(workspace, undo.sessionId)
    expect(undone.conflicts).toEqual([])
    expect(listing(project.root)).toEqual(before)
    expect((await undo.changes()).changes).toEqual([])

    const redo = await workspace.undo(undone.id)
    await commitAll(workspace, redo.sessionId)
    expect(listing(project.root)).toEqual(after)
  })

  it('is recorded as an undo, names its commits and claims no line', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const commit = await commitWork(workspace, changeTwo)
    const undo = await workspace.undo(String(commit.seq))
    const undone = await commitAll(workspace, undo.sessionId)
    const record = (await recordsOf(workspace)).find((each) => metadataOf(each).tx === undone.id)
    expect(record).toMatchObject({ intent_id: null, session_id: undo.sessionId, files: [] })
    expect(metadataOf(record ?? {})).toMatchObject({
      type: 'undo',
      undoes: commit.id,
      approved_by: ['Ann'],
      verdict: 'approved',
    })
    expect(metadataOf(record ?? {}).changes).toHaveLength(2)
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
  })

  it('flags what changed on disk since, and overwrites none of it', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, (fs) => {
      fs.writeFileSync('src/a.ts', 'a one\na TWO\n')
      fs.writeFileSync('src/b.ts', 'B\n')
      fs.unlinkSync('src/sub/c.ts')
      fs.writeFileSync('src/made.ts', 'made\n')
    })
    project.write('src/a.ts', 'a one\na TWO\nand mine\n')
    project.write('src/sub/c.ts', 'mine too\n')
    project.write('src/made.ts', 'made, and mine\n')
    const undo = await workspace.undo(id)
    const { changes } = await undo.changes()
    const drifted = changes.filter(({ flags }) => flags.includes('drifted')).map(({ path }) => path)
    expect(drifted.sort()).toEqual(['src/a.ts', 'src/made.ts', 'src/sub/c.ts'])
    expect(await reasonOf(() => undo.approve('src/a.ts', ANN))).toBe('stale_file')
    await undo.approve(undefined, ANN)
    expect((await undo.commit()).committed).toEqual(['src/b.ts'])
    expect([project.text('src/a.ts'), project.text('src/sub/c.ts'), project.text('src/made.ts')]).toEqual([
      'a one\na TWO\nand mine\n',
      'mine too\n',
      'made, and mine\n',
    ])
    expect(project.text('src/b.ts')).toBe('b\n')
  })

  it('keeps a directory to which others added files, and recreates missing parents', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, (fs) => {
      fs.mkdirSync('src/new')
      fs.writeFileSync('src/new/n.ts', 'n\n')
      fs.unlinkSync('src/sub/c.ts')
    })
    project.write('src/new/theirs.ts', 'theirs\n')
    rmSync(`${project.root}/src/sub`, { recursive: true, force: true })
    await commitAll(workspace, (await workspace.undo(id)).sessionId)
    expect(readdirSync(`${project.root}/src/new`)).toEqual(['theirs.ts'])
    expect(project.text('src/sub/c.ts')).toBe('c\n')
  })

  it('stages nothing if a person undid the change by hand', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'x\n'))
    project.write('src/a.ts', 'a one\na two\n')
    expect(await failure(() => workspace.undo(id))).toMatchObject({
      reason: 'nothing_selected',
      message: `There is nothing to undo of commit ${id}. The files on disk are as they were before.`,
    })
    expect((await workspace.sessions()).map((session) => session.id)).toEqual(['agent'])
  })

  it('stages nothing a second time, and names the commit that undid it', async () => {
    const workspace = await testWorkspace().open()
    const { id } = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'x\n'))
    const undo = await workspace.undo(id)
    const { id: undoing } = await commitAll(workspace, undo.sessionId)
    expect(await failure(() => workspace.undo(id))).toMatchObject({
      reason: 'nothing_selected',
      message: `There is nothing to undo of commit ${id}. It was undone by commit ${undoing} of session undo-1.`,
      hint: `To restore it, undo ${undoing}.`,
    })
    expect((await workspace.sessions()).map((session) => session.id).sort()).toEqual(['agent', 'undo-1'])
  })

  it('is refused with the paths if another kind of entry is in the way, and stages nothing', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, (fs) => {
      fs.writeFileSync('src/a.ts', 'x\n')
      fs.unlinkSync('src/sub/c.ts')
      fs.writeFileSync('src/b.ts', 'B\n')
    })
    rmSync(`${project.root}/src/a.ts`)
    mkdirSync(`${project.root}/src/a.ts`)
    rmSync(`${project.root}/src/sub`, { recursive: true, force: true })
    symlinkSync('/tmp', `${project.root}/src/sub`)
    const error = await failure(() => workspace.undo(id))
    expect(error.reason).toBe('stale_file')
    expect(error.refused?.map(({ path }) => path).sort()).toEqual(['src/a.ts', 'src/sub/c.ts'])
    expect((await workspace.sessions()).map((each) => each.id)).toEqual(['agent'])
  })

  it('restores nothing whose kept content was changed through another hard link', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    linkSync(`${project.root}/src/a.ts`, `${project.root}/mail/twin.ts`)
    const { id } = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'x\n'))
    writeFileSync(`${project.root}/mail/twin.ts`, 'changed in place\n')
    const error = await failure(() => workspace.undo(id))
    expect(error.refused?.map(({ path, reason }) => [path, reason])).toEqual([['src/a.ts', 'undo_expired']])
  })
})

function changeTwo(fs: Session['fs']): void {
  fs.writeFileSync('src/a.ts', 'a one\na TWO\n')
  fs.unlinkSync('src/b.ts')
}

describe('commits that can be undone', () => {
  it('throws undo_expired for a commit whose contents were pruned, and nothing_selected for an unknown one', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'x\n'))
    for (const none of ['2', '1-00000000', '', '../1', '9-abcdef01'])
      expect(await reasonOf(() => workspace.undo(none))).toBe('nothing_selected')
    const { tx } = layoutAt(project.root)
    for (const name of readdirSync(tx)) if (name.startsWith(id)) removeTree(`${tx}/${name}`)
    expect(await reasonOf(() => workspace.undo(id))).toBe('undo_expired')
  })

  it('refuses the commit of an undo that was interrupted while staging', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, changeTwo)
    const undo = await workspace.undo(id)
    const { stageLog } = layoutAt(project.root).session(undo.sessionId)
    const lines = readFileSync(stageLog, 'utf8').trimEnd().split('\n')
    writeFileSync(stageLog, `${lines.filter((line) => !line.includes('"op":"note"')).join('\n')}\n`)
    await undo.approve(undefined, ANN)
    expect((await failure(() => undo.commit())).refused?.map(({ reason }) => reason)).toContain('missing_intent_id')
  })

  it('requires an intent and scope for what an agent adds to an undo', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, changeTwo)
    const undo = await workspace.undo(id)
    const agent = await startSession(workspace, undo.sessionId)
    expect(await reasonOf(() => agent.fs.writeFileSync('mail/m.ts', 'x'))).toBe('scope_violation')
    agent.fs.writeFileSync('src/b.ts', 'not what stood there\n')
    await agent.close()
    await commitAll(workspace, undo.sessionId)
    const record = (await recordsOf(workspace)).at(-1)
    expect(metadataOf(record ?? {}).type).toBe('undo')
    expect(record?.files).toMatchObject([{ path: 'src/b.ts' }])
  })

  it('commits what a reviewer edits in an undo, whose other lines keep their authors', async () => {
    const project = testWorkspace({ 'src/a.ts': '' })
    const workspace = await project.open()
    await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'first line\nsecond line\nthird line\n'), 'author')
    const { id } = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'all new\n'))
    const undo = await workspace.undo(id)
    await workspace.intents.complete('INT-001')
    await undo.edit('src/a.ts', 'first line\nchanged line\nthird line\n', ANN)
    await undo.edit('src/a.ts', 'first line\nas Ann wants it\nthird line\n', ANN)
    await commitAll(workspace, undo.sessionId)
    expect(project.text('src/a.ts')).toBe('first line\nas Ann wants it\nthird line\n')
    const blamed = await workspace.ledger.blame('src/a.ts')
    expect(blamed.map(({ sessionId, contributor }) => [sessionId, contributor])).toEqual([
      ['author', 'ai'],
      [undo.sessionId, 'human'],
      ['author', 'ai'],
    ])
  })

  it('applies the rules for agents to a file that an agent wrote in an undo before a reviewer edited it', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, changeTwo)
    const undo = await workspace.undo(id)
    const agent = await startSession(workspace, undo.sessionId)
    agent.fs.writeFileSync('src/b.ts', 'by an agent\n')
    await agent.close()
    await undo.edit('src/b.ts', 'by an agent\nand Ann\n', ANN)
    project.write('.orchestration/policy.yaml', 'access: {src: read-only}\n')
    await undo.approve(undefined, ANN)
    expect((await failure(() => undo.commit())).refused?.map(({ path }) => path)).toEqual(['src/b.ts'])
  })

  it('needs no intent, and is refused while policy.yaml cannot be read', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, changeTwo)
    await workspace.intents.complete('INT-001')
    project.write('.orchestration/policy.yaml', 'access: [')
    const undo = await workspace.undo(id)
    await undo.approve(undefined, ANN)
    expect((await failure(() => undo.commit())).refused?.map(({ reason }) => reason)).toContain('policy_invalid')
    rmSync(`${project.root}/.orchestration/policy.yaml`)
    expect((await undo.commit()).committed.sort()).toEqual(['src/a.ts', 'src/b.ts'])
  })

  it('stages two undos of one commit in two sessions; after one is committed the other is empty', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { id } = await commitWork(workspace, changeTwo)
    const [one, two] = [await workspace.undo(id), await workspace.undo(id)]
    expect([one.sessionId, two.sessionId]).toEqual(['undo-1', 'undo-1-2'])
    await commitAll(workspace, one.sessionId)
    expect((await two.changes()).changes).toEqual([])
  })
})

type Act = readonly [op: 'put' | 'rm' | 'mv' | 'mkdir' | 'chmod' | 'ln', a: string, b: string]

const name = fc.constantFrom('src/a.ts', 'src/b.ts', 'src/sub', 'src/sub/c.ts', 'src/x', 'src/x/y', 'src/x/y/z')
const act: fc.Arbitrary<Act> = fc.tuple(fc.constantFrom('put', 'rm', 'mv', 'mkdir', 'chmod', 'ln'), name, name)

function perform(fs: Session['fs'], [op, a, b]: Act, step: number): void {
  try {
    if (op === 'put') fs.writeFileSync(a, `${step}\n`)
    else if (op === 'rm') fs.rmSync(a, { recursive: true })
    else if (op === 'mv') fs.renameSync(a, b)
    else if (op === 'mkdir') fs.mkdirSync(a, { recursive: true })
    else if (op === 'chmod') fs.chmodSync(a, lstatSync(a, { throwIfNoEntry: false })?.isDirectory() ? 0o700 : 0o600)
    else fs.symlinkSync('a.ts', a)
  } catch {
    // Not every act is possible in every tree.
  }
}

it('restores the tree as it was, whatever was committed', async () => {
  const runs = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 12)
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      const project = testWorkspace()
      const before = listing(project.root)
      const workspace = await project.open()
      const { id } = await commitWork(workspace, (fs) => {
        for (const [turn, each] of acts.entries()) perform(fs, each, turn)
      })
      if (id === '') return
      const after = listing(project.root)
      const undo = await workspace.undo(id)
      expect(listing(project.root)).toEqual(after)
      await commitAll(workspace, undo.sessionId)
      expect(listing(project.root)).toEqual(before)
    }),
    { numRuns: runs },
  )
})

describe('an undo of several commits', () => {
  const edit = (workspace: Workspace, text: string) => commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', text))

  it('restores the content before the oldest commit, in one commit that names them all', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const before = project.text('src/a.ts')
    const one = await edit(workspace, 'one\n')
    const two = await commitWork(workspace, (fs) => fs.writeFileSync('src/new.ts', 'new\n'))
    const three = await edit(workspace, 'three\n')
    const undo = await workspace.undo([three.id, String(one.seq), two.id])
    expect(undo.sessionId).toBe('undo-1-to-3')
    expect((await undo.changes()).changes.map(({ path, kind, flags }) => [path, kind, flags])).toEqual([
      ['src/new.ts', 'delete', []],
      ['src/a.ts', 'modify', []],
    ])
    await commitAll(workspace, undo.sessionId)
    expect(project.text('src/a.ts')).toBe(before)
    const record = (await recordsOf(workspace)).map(metadataOf).at(-1)
    expect([record?.type, record?.undoes]).toEqual(['undo', [one.id, two.id, three.id]])
  })

  it('needs no intent for restored content, whose lines keep their authors', async () => {
    const project = testWorkspace({ 'src/a.ts': '' })
    const workspace = await project.open()
    await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'first\nsecond line\n'), 'author')
    const one = await commitWork(workspace, (fs) => fs.writeFileSync('src/a.ts', 'first\n'))
    const two = await commitWork(workspace, (fs) => fs.rmSync('src/a.ts'))
    const undo = await workspace.undo([one.id, two.id])
    await workspace.intents.complete('INT-001')
    await commitAll(workspace, undo.sessionId)
    const blamed = await workspace.ledger.blame('src/a.ts')
    expect(blamed.map(({ sessionId }) => sessionId)).toEqual(['author', 'author'])
  })

  it('is refused as a whole if another commit between them changed a path', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const one = await edit(workspace, 'one\n')
    await edit(workspace, 'two\n')
    const three = await edit(workspace, 'three\n')
    const error = await failure(() => workspace.undo([one.id, three.id]))
    expect(error).toMatchObject({ reason: 'stale_file', refused: [{ path: 'src/a.ts' }] })
    expect((await workspace.sessions()).map(({ id }) => id)).toEqual(['agent'])
    expect(await reasonOf(() => workspace.undo([three.id, '99']))).toBe('nothing_selected')
    expect(await reasonOf(() => workspace.undo([]))).toBe('nothing_selected')
  })

  it('can be previewed without being staged', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const ids = [(await edit(workspace, 'one\n')).id, (await edit(workspace, 'two\n')).id]
    expect((await workspace.previewUndo(ids)).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
    expect((await workspace.sessions()).map(({ id }) => id)).toEqual(['agent'])
    expect(await reasonOf(() => workspace.previewUndo('99'))).toBe('nothing_selected')
  })
})
