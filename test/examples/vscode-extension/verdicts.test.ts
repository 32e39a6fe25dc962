import { describe, expect, it } from 'vitest'
import { metadataOf, recordsOf } from '../../support/workspace.js'
import { openExtension, useBuiltExtension } from './bundle.js'
import { Position } from './editor-types.js'

const built = useBuiltExtension()
const open = (...rest: Parameters<typeof openExtension> extends [string, string, ...infer R] ? R : never) =>
  openExtension(built.dist(), built.home(), ...rest)

const LONG = `${Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n')}\n`
const TWO = LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n')
const MOVED = 'src/a.ts has changed since it was shown. Nothing was decided.'

async function reviewOf({ project }: Awaited<ReturnType<typeof open>>) {
  const workspace = await project.open()
  const { changes } = await (await workspace.review('agent')).changes()
  return { workspace, states: Object.fromEntries(changes.map(({ path, state }) => [path, state])) }
}

describe('a verdict on a file', () => {
  it('commits only the approved changes, with the person in the ledger', async () => {
    const model = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/b.ts', 'two\n')
    })
    await model.editor.click('a.ts', 'escrowfs.approve')
    expect(model.editor.node('a.ts').item).toMatchObject({ contextValue: 'change.approved', iconPath: { id: 'check' } })
    await model.editor.click('agent', 'escrowfs.commit')
    expect([model.project.text('src/a.ts'), model.project.text('src/b.ts')]).toEqual(['one\n', 'b\n'])
    expect(model.editor.asked.at(-1)).toMatchObject({ kind: 'information', text: '1 change on disk now.' })
    expect(model.editor.progress.map((message) => message.split(',')[0])).toEqual(
      expect.arrayContaining(['checking', 'staging', 'applying']),
    )
    const { workspace } = await reviewOf(model)
    const types = (await recordsOf(workspace)).map((record) => metadataOf(record).type)
    expect(types.slice(-2)).toEqual(['verdict', 'commit'])
    expect((await workspace.ledger.blame('src/a.ts'))[0]).toMatchObject({ contributor: 'ai', intentId: 'INT-001' })
    expect((await workspace.ledger.verify()).ok).toBe(true)
  })

  it('is refused if the stage changed after the tree was drawn, and offers to open the current change', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    const { node, item } = model.editor.node('a.ts')
    model.session.fs.writeFileSync('src/a.ts', 'evil\n')
    model.editor.person = ({ items }) => items[0]
    await model.editor.clickOn(node, item, 'escrowfs.approve')
    expect(model.editor.asked[0]?.text).toBe(MOVED)
    expect(model.editor.diffs.at(-1)?.after.text).toBe('evil\n')
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'pending' })
  })

  it('is refused if the change differs from the opened editor, even if the tree is current', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await model.editor.open('a.ts')
    model.session.fs.writeFileSync('src/a.ts', 'evil\nmore\n')
    await model.waitUntilShown(() => model.editor.tree().join().includes('+2'))
    await model.editor.inEditor('editor/title', 'escrowfs.approve')
    await model.editor.click('a.ts', 'escrowfs.approve')
    await model.editor.click('agent', 'escrowfs.approve')
    expect(model.editor.asked.map(({ text }) => text)).toEqual([MOVED, MOVED, MOVED])
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'pending' })
    await model.editor.open('a.ts')
    await model.editor.inEditor('editor/title', 'escrowfs.approve')
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'approved' })
  })

  it('is refused if the change was replaced while the person typed a reason', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    model.editor.person = ({ kind }) => {
      if (kind !== 'input') return undefined
      model.session.fs.writeFileSync('src/a.ts', 'other\n')
      return 'No.'
    }
    await model.editor.click('a.ts', 'escrowfs.reject')
    expect(model.editor.asked.at(-1)?.text).toBe(MOVED)
    expect(await model.session.feedback()).toEqual([])
  })

  it('rejects with a reason that reaches the agent, and decides nothing without one', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await model.editor.click('a.ts', 'escrowfs.reject')
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'pending' })
    model.editor.person = ({ kind }) => (kind === 'input' ? 'Use integers.' : undefined)
    await model.editor.click('a.ts', 'escrowfs.reject')
    expect(model.editor.asked.at(-1)?.text).toBe('Why not src/a.ts? The agent reads it at its next call.')
    expect(await model.session.feedback()).toMatchObject([{ path: 'src/a.ts', reason: 'Use integers.' }])
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.editor.asked.at(-1)?.text).toBe('Nothing is approved, so there is nothing to commit.')
    expect(model.project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('discards only after a modal', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await model.editor.click('a.ts', 'escrowfs.discard')
    expect(model.editor.asked[0]).toMatchObject({ modal: true, text: 'Discard src/a.ts?' })
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'pending' })
    model.editor.person = () => 'Discard'
    await model.editor.click('a.ts', 'escrowfs.discard')
    expect(model.editor.tree()).toEqual([])
    await model.session.flush()
    expect(model.session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
  })

  it('on a file name with glob characters covers only that file', async () => {
    const model = await open(({ fs }) => {
      fs.writeFileSync('src/[ab].ts', 'x\n')
      fs.writeFileSync('src/a.ts', 'one\n')
    })
    await model.editor.click('[ab].ts', 'escrowfs.approve')
    expect((await reviewOf(model)).states).toEqual({ 'src/[ab].ts': 'approved', 'src/a.ts': 'pending' })
  })
})

describe('a verdict on several', () => {
  it('covers each node, and keeps earlier decisions if a later node is stale', async () => {
    const model = await open(({ fs }) => {
      for (const name of ['a', 'b', 'c']) fs.writeFileSync(`src/${name}.ts`, 'x\n')
    })
    const nodes = ['b.ts', 'a.ts', 'c.ts'].map((name) => model.editor.node(name).node)
    model.session.fs.writeFileSync('src/a.ts', 'evil\n')
    await model.editor.run('escrowfs.approve', nodes[0], nodes)
    expect(model.editor.asked.at(-1)?.text).toBe(MOVED)
    const expected = { 'src/a.ts': 'pending', 'src/b.ts': 'approved', 'src/c.ts': 'pending' }
    expect((await reviewOf(model)).states).toEqual(expected)
  })

  it('asks for a reason and a confirmation only once', async () => {
    const model = await open(({ fs }) => {
      for (const name of ['a', 'b']) fs.writeFileSync(`src/${name}.ts`, 'x\n')
    })
    const nodes = ['a.ts', 'b.ts'].map((name) => model.editor.node(name).node)
    model.editor.person = ({ kind }) => (kind === 'input' ? 'No.' : 'Discard')
    await model.editor.run('escrowfs.reject', nodes[0], nodes)
    expect(model.editor.asked.map(({ text }) => text)).toEqual([
      'Why not 2 selected changes? The agent reads it at its next call.',
    ])
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'rejected', 'src/b.ts': 'rejected' })
    await model.editor.run('escrowfs.discard', nodes[0], nodes)
    expect([model.editor.asked.length, model.editor.tree()]).toEqual([2, []])
  })
})

describe('a verdict on a hunk', () => {
  const work = (model: Parameters<typeof open>[0]) => open(model, { 'src/long.ts': LONG })

  it('commits only that hunk, from the tree', async () => {
    const model = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    await model.editor.click('1–5  -line 2', 'escrowfs.approve')
    model.editor.person = ({ kind }) => (kind === 'input' ? 'Keep this one.' : undefined)
    await model.editor.click('25–30  -line 28', 'escrowfs.reject')
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.project.text('src/long.ts')).toBe(LONG.replace('line 2\n', 'two\n'))
    expect(await model.session.feedback()).toMatchObject([{ path: 'src/long.ts', reason: 'Keep this one.' }])
  })

  it('works at the cursor of an editor, on either side, and in a code lens', async () => {
    const model = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    await model.editor.open('25–30')
    const { before, after } = model.editor.diffs.at(-1) ?? expect.unreachable()
    model.editor.active = { document: after, selection: { active: new Position(12, 0) } }
    await model.editor.inEditor('editor/context', 'escrowfs.approveHunk')
    expect(model.editor.asked.at(-1)?.text).toBe('Put the cursor into a hunk of a staged change.')
    model.editor.active = { document: before, selection: { active: new Position(27, 3) } }
    await model.editor.inEditor('editor/context', 'escrowfs.approveHunk')
    expect(model.editor.node('25–30').item.contextValue).toBe('hunk.approved')
    const [lens] = model.editor.lenses(after)
    await model.editor.run(lens?.command.command ?? '', ...(lens?.command.arguments ?? []))
    expect((await reviewOf(model)).states).toEqual({ 'src/long.ts': 'approved' })
  })

  it('applies while a neighbouring hunk changes, and is refused once its own lines have changed', async () => {
    const model = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    const [first, second] = [model.editor.node('1–5'), model.editor.node('25–30')]
    model.session.fs.writeFileSync('src/long.ts', TWO.replace('more', 'evil'))
    await model.editor.clickOn(second.node, second.item, 'escrowfs.approve')
    expect(model.editor.asked.at(-1)?.text).toContain('src/long.ts has changed since it was shown')
    await model.editor.clickOn(first.node, first.item, 'escrowfs.approve')
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.project.text('src/long.ts')).toBe(LONG.replace('line 2\n', 'two\n'))
  })

  it('discards one hunk', async () => {
    const model = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    model.editor.person = () => 'Discard'
    await model.editor.click('1–5', 'escrowfs.discard')
    await model.session.flush()
    expect(model.session.fs.readFileSync('src/long.ts', 'utf8')).toBe(LONG.replace('line 28\n', 'more\n'))
  })
})

describe('a session', () => {
  it('is approved as displayed, and reports the rejected changes that are left out', async () => {
    const model = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/b.ts', 'two\n')
    })
    model.editor.person = ({ kind }) => (kind === 'input' ? 'No.' : undefined)
    await model.editor.click('b.ts', 'escrowfs.reject')
    await model.editor.click('agent', 'escrowfs.approve')
    expect(model.editor.asked.at(-1)?.text).toBe('1 file approved. 1 change left out: src/b.ts')
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'approved', 'src/b.ts': 'rejected' })
  })

  it('is not approved with a file that was added after it was displayed', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/b.ts', 'one\n'))
    const { node, item } = model.editor.node('agent')
    model.session.fs.writeFileSync('src/a.ts', 'later\n')
    await model.editor.clickOn(node, item, 'escrowfs.approve')
    expect(model.editor.asked.at(-1)?.text).toBe(MOVED)
  })

  it('is committed as a whole or not at all, can be cancelled, and merges files changed on disk', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/long.ts', TWO), { 'src/long.ts': LONG })
    await model.editor.click('long.ts', 'escrowfs.approve')
    model.editor.onStep = (_, cancel) => cancel()
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.editor.asked.at(-1)?.text).toBe('The commit was cancelled. Nothing has changed.')
    expect(model.project.text('src/long.ts')).toBe(LONG)
    model.editor.onStep = () => {}
    model.project.write('src/long.ts', LONG.replace('line 15\n', 'by hand\n'))
    model.editor.person = ({ items }) => items[0]
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.editor.asked.at(-2)).toMatchObject({ items: ['Merge, then look again'] })
    expect(model.editor.asked.at(-1)?.kind).toBe('error')
    await model.editor.click('long.ts', 'escrowfs.approve')
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.project.text('src/long.ts')).toBe(TWO.replace('line 15\n', 'by hand\n'))
  })
})

describe('undo', () => {
  it('stages the inverse of a chosen commit, shows it, and commits it like any change', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await model.editor.run('escrowfs.undo')
    expect(model.editor.asked.at(-1)?.text).toBe('No commit can be undone here.')
    await model.editor.click('agent', 'escrowfs.approve')
    await model.editor.click('agent', 'escrowfs.commit')
    model.editor.person = ({ kind, items }) => (kind === 'pick' ? items[0] : undefined)
    await model.editor.run('escrowfs.undo')
    expect(model.editor.asked.at(-1)).toMatchObject({ kind: 'pick', items: ['src/a.ts'] })
    expect(model.editor.changes.at(-1)?.title).toMatch(/^Staged by undo-/)
    await model.editor.click('undo-', 'escrowfs.approve')
    await model.editor.click('undo-', 'escrowfs.commit')
    expect(model.project.text('src/a.ts')).toBe('a one\na two\n')
  })
})

describe('the reviewer', () => {
  const POLICY = { '.orchestration/policy.yaml': 'approval: { by: person }\n', 'src/a.ts': 'a\n' }

  it('is a person if policy requires one, through a modal that no other extension can answer', async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'), POLICY)
    await model.editor.click('a.ts', 'escrowfs.approve')
    expect(model.editor.asked).toMatchObject([{ modal: true, text: 'Approve src/a.ts?', items: ['Yes'] }])
    expect((await reviewOf(model)).states).toEqual({ 'src/a.ts': 'pending' })
    model.editor.person = ({ items }) => items[0]
    await model.editor.click('a.ts', 'escrowfs.approve')
    await model.editor.click('agent', 'escrowfs.commit')
    expect(model.project.text('src/a.ts')).toBe('one\n')
  })

  it("cannot be anybody in an editor started in an agent's session", async () => {
    const model = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    process.env.ESCROW_SESSION = 'agent'
    try {
      for (const command of ['escrowfs.approve', 'escrowfs.reject', 'escrowfs.discard'])
        await model.editor.click('a.ts', command)
      await model.editor.click('agent', 'escrowfs.commit')
    } finally {
      delete process.env.ESCROW_SESSION
    }
    expect(new Set(model.editor.asked.map(({ kind, text }) => `${kind} ${text.split(/[:.]/)[0]}`))).toEqual(
      new Set(['error An agent cannot decide about its own work']),
    )
  })
})
