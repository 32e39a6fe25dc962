import { describe, expect, it } from 'vitest'
import { own, recordsOf } from '../../support/workspace.js'
import { builtExtension, openDesk } from './bundle.js'
import { Position } from './editor-types.js'

const built = builtExtension()
const open = (...rest: Parameters<typeof openDesk> extends [string, string, ...infer R] ? R : never) =>
  openDesk(built.dist(), built.home(), ...rest)

const LONG = `${Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n')}\n`
const TWO = LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n')
const MOVED = 'src/a.ts has changed since it was shown. Nothing was decided.'

async function reviewOf({ place }: Awaited<ReturnType<typeof open>>) {
  const workspace = await place.open()
  const { changes } = await (await workspace.review('agent')).changes()
  return { workspace, states: Object.fromEntries(changes.map(({ path, state }) => [path, state])) }
}

describe('a verdict on a file', () => {
  it('lands what was approved, and nothing else, with the person in the ledger', async () => {
    const desk = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/b.ts', 'two\n')
    })
    await desk.editor.click('a.ts', 'escrowfs.approve')
    expect(desk.editor.node('a.ts').item).toMatchObject({ contextValue: 'change.approved', iconPath: { id: 'check' } })
    await desk.editor.click('agent', 'escrowfs.commit')
    expect([desk.place.text('src/a.ts'), desk.place.text('src/b.ts')]).toEqual(['one\n', 'b\n'])
    expect(desk.editor.asked.at(-1)).toMatchObject({ kind: 'information', text: '1 change on disk now.' })
    expect(desk.editor.progress.map((message) => message.split(',')[0])).toEqual(
      expect.arrayContaining(['checking', 'staging', 'applying']),
    )
    const { workspace } = await reviewOf(desk)
    const types = (await recordsOf(workspace)).map((record) => own(record).type)
    expect(types.slice(-2)).toEqual(['verdict', 'commit'])
    expect((await workspace.ledger.blame('src/a.ts'))[0]).toMatchObject({ contributor: 'ai', intentId: 'INT-001' })
    expect((await workspace.ledger.verify()).ok).toBe(true)
  })

  it('is refused where the stage moved on after the tree was drawn, and what is there now is shown on wish', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    const { node, item } = desk.editor.node('a.ts')
    desk.session.fs.writeFileSync('src/a.ts', 'evil\n')
    desk.editor.person = ({ items }) => items[0]
    await desk.editor.clickOn(node, item, 'escrowfs.approve')
    expect(desk.editor.asked[0]?.text).toBe(MOVED)
    expect(desk.editor.diffs.at(-1)?.after.text).toBe('evil\n')
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'pending' })
  })

  it('is refused where it moved on after its editor was opened, though the tree shows the new one', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await desk.editor.open('a.ts')
    desk.session.fs.writeFileSync('src/a.ts', 'evil\nmore\n')
    await desk.shows(() => desk.editor.tree().join().includes('+2'))
    await desk.editor.inEditor('editor/title', 'escrowfs.approve')
    await desk.editor.click('a.ts', 'escrowfs.approve')
    await desk.editor.click('agent', 'escrowfs.approve')
    expect(desk.editor.asked.map(({ text }) => text)).toEqual([MOVED, MOVED, MOVED])
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'pending' })
    await desk.editor.open('a.ts')
    await desk.editor.inEditor('editor/title', 'escrowfs.approve')
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'approved' })
  })

  it('is refused where it moved on while the person was typing why not', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    desk.editor.person = ({ kind }) => {
      if (kind !== 'input') return undefined
      desk.session.fs.writeFileSync('src/a.ts', 'other\n')
      return 'No.'
    }
    await desk.editor.click('a.ts', 'escrowfs.reject')
    expect(desk.editor.asked.at(-1)?.text).toBe(MOVED)
    expect(await desk.session.feedback()).toEqual([])
  })

  it('rejects with words, which the agent hears; without words nothing is decided', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await desk.editor.click('a.ts', 'escrowfs.reject')
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'pending' })
    desk.editor.person = ({ kind }) => (kind === 'input' ? 'Use integers.' : undefined)
    await desk.editor.click('a.ts', 'escrowfs.reject')
    expect(desk.editor.asked.at(-1)?.text).toBe('Why not src/a.ts? The agent reads it at its next call.')
    expect(await desk.session.feedback()).toMatchObject([{ path: 'src/a.ts', reason: 'Use integers.' }])
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.editor.asked.at(-1)?.text).toBe('Nothing is approved, so there is nothing to commit.')
    expect(desk.place.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('discards only after a modal', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await desk.editor.click('a.ts', 'escrowfs.discard')
    expect(desk.editor.asked[0]).toMatchObject({ modal: true, text: 'Discard src/a.ts?' })
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'pending' })
    desk.editor.person = () => 'Discard'
    await desk.editor.click('a.ts', 'escrowfs.discard')
    expect(desk.editor.tree()).toEqual([])
    await desk.session.flush()
    expect(desk.session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
  })

  it('of a name that is a glob is on that file alone', async () => {
    const desk = await open(({ fs }) => {
      fs.writeFileSync('src/[ab].ts', 'x\n')
      fs.writeFileSync('src/a.ts', 'one\n')
    })
    await desk.editor.click('[ab].ts', 'escrowfs.approve')
    expect((await reviewOf(desk)).states).toEqual({ 'src/[ab].ts': 'approved', 'src/a.ts': 'pending' })
  })
})

describe('a verdict on several', () => {
  it('is given to each; where one has moved, what was decided before it stays', async () => {
    const desk = await open(({ fs }) => {
      for (const name of ['a', 'b', 'c']) fs.writeFileSync(`src/${name}.ts`, 'x\n')
    })
    const nodes = ['b.ts', 'a.ts', 'c.ts'].map((name) => desk.editor.node(name).node)
    desk.session.fs.writeFileSync('src/a.ts', 'evil\n')
    await desk.editor.run('escrowfs.approve', nodes[0], nodes)
    expect(desk.editor.asked.at(-1)?.text).toBe(MOVED)
    const expected = { 'src/a.ts': 'pending', 'src/b.ts': 'approved', 'src/c.ts': 'pending' }
    expect((await reviewOf(desk)).states).toEqual(expected)
  })

  it('asks for words and for a confirmation once', async () => {
    const desk = await open(({ fs }) => {
      for (const name of ['a', 'b']) fs.writeFileSync(`src/${name}.ts`, 'x\n')
    })
    const nodes = ['a.ts', 'b.ts'].map((name) => desk.editor.node(name).node)
    desk.editor.person = ({ kind }) => (kind === 'input' ? 'No.' : 'Discard')
    await desk.editor.run('escrowfs.reject', nodes[0], nodes)
    expect(desk.editor.asked.map(({ text }) => text)).toEqual([
      'Why not 2 selected changes? The agent reads it at its next call.',
    ])
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'rejected', 'src/b.ts': 'rejected' })
    await desk.editor.run('escrowfs.discard', nodes[0], nodes)
    expect([desk.editor.asked.length, desk.editor.tree()]).toEqual([2, []])
  })
})

describe('a verdict on a hunk', () => {
  const work = (desk: Parameters<typeof open>[0]) => open(desk, { 'src/long.ts': LONG })

  it('lands that hunk alone, from the tree', async () => {
    const desk = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    await desk.editor.click('1–5  -line 2', 'escrowfs.approve')
    desk.editor.person = ({ kind }) => (kind === 'input' ? 'Keep this one.' : undefined)
    await desk.editor.click('25–30  -line 28', 'escrowfs.reject')
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.place.text('src/long.ts')).toBe(LONG.replace('line 2\n', 'two\n'))
    expect(await desk.session.feedback()).toMatchObject([{ path: 'src/long.ts', reason: 'Keep this one.' }])
  })

  it('at the cursor of an editor, on either side, and above it', async () => {
    const desk = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    await desk.editor.open('25–30')
    const { before, after } = desk.editor.diffs.at(-1) ?? expect.unreachable()
    desk.editor.active = { document: after, selection: { active: new Position(12, 0) } }
    await desk.editor.inEditor('editor/context', 'escrowfs.approveHunk')
    expect(desk.editor.asked.at(-1)?.text).toBe('Put the cursor into a hunk of a staged change.')
    desk.editor.active = { document: before, selection: { active: new Position(27, 3) } }
    await desk.editor.inEditor('editor/context', 'escrowfs.approveHunk')
    expect(desk.editor.node('25–30').item.contextValue).toBe('hunk.approved')
    const [lens] = desk.editor.lenses(after)
    await desk.editor.run(lens?.command.command ?? '', ...(lens?.command.arguments ?? []))
    expect((await reviewOf(desk)).states).toEqual({ 'src/long.ts': 'approved' })
  })

  it('stands while its neighbour moves, and is refused once its own lines have', async () => {
    const desk = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    const [first, second] = [desk.editor.node('1–5'), desk.editor.node('25–30')]
    desk.session.fs.writeFileSync('src/long.ts', TWO.replace('more', 'evil'))
    await desk.editor.clickOn(second.node, second.item, 'escrowfs.approve')
    expect(desk.editor.asked.at(-1)?.text).toContain('src/long.ts has changed since it was shown')
    await desk.editor.clickOn(first.node, first.item, 'escrowfs.approve')
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.place.text('src/long.ts')).toBe(LONG.replace('line 2\n', 'two\n'))
  })

  it('discards one hunk', async () => {
    const desk = await work(({ fs }) => fs.writeFileSync('src/long.ts', TWO))
    desk.editor.person = () => 'Discard'
    await desk.editor.click('1–5', 'escrowfs.discard')
    await desk.session.flush()
    expect(desk.session.fs.readFileSync('src/long.ts', 'utf8')).toBe(LONG.replace('line 28\n', 'more\n'))
  })
})

describe('a session', () => {
  it('is approved as it was shown, without what was rejected, which is said', async () => {
    const desk = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/b.ts', 'two\n')
    })
    desk.editor.person = ({ kind }) => (kind === 'input' ? 'No.' : undefined)
    await desk.editor.click('b.ts', 'escrowfs.reject')
    await desk.editor.click('agent', 'escrowfs.approve')
    expect(desk.editor.asked.at(-1)?.text).toBe('1 file approved. 1 change left out: src/b.ts')
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'approved', 'src/b.ts': 'rejected' })
  })

  it('is not approved with a file that came after it was shown', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/b.ts', 'one\n'))
    const { node, item } = desk.editor.node('agent')
    desk.session.fs.writeFileSync('src/a.ts', 'later\n')
    await desk.editor.clickOn(node, item, 'escrowfs.approve')
    expect(desk.editor.asked.at(-1)?.text).toBe(MOVED)
  })

  it('is committed all or nothing, can be called off, and what moved on disk can be merged', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/long.ts', TWO), { 'src/long.ts': LONG })
    await desk.editor.click('long.ts', 'escrowfs.approve')
    desk.editor.onStep = (_, cancel) => cancel()
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.editor.asked.at(-1)?.text).toBe('The commit was cancelled. Nothing has changed.')
    expect(desk.place.text('src/long.ts')).toBe(LONG)
    desk.editor.onStep = () => {}
    desk.place.write('src/long.ts', LONG.replace('line 15\n', 'by hand\n'))
    desk.editor.person = ({ items }) => items[0]
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.editor.asked.at(-2)).toMatchObject({ items: ['Merge, then look again'] })
    expect(desk.editor.asked.at(-1)?.kind).toBe('error')
    await desk.editor.click('long.ts', 'escrowfs.approve')
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.place.text('src/long.ts')).toBe(TWO.replace('line 15\n', 'by hand\n'))
  })
})

describe('undo', () => {
  it('stages the inverse of a chosen commit, shows it, and lands it like all else', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    await desk.editor.run('escrowfs.undo')
    expect(desk.editor.asked.at(-1)?.text).toBe('No commit can be undone here.')
    await desk.editor.click('agent', 'escrowfs.approve')
    await desk.editor.click('agent', 'escrowfs.commit')
    desk.editor.person = ({ kind, items }) => (kind === 'pick' ? items[0] : undefined)
    await desk.editor.run('escrowfs.undo')
    expect(desk.editor.asked.at(-1)).toMatchObject({ kind: 'pick', items: ['src/a.ts'] })
    expect(desk.editor.changes.at(-1)?.title).toMatch(/^Staged by undo-/)
    await desk.editor.click('undo-', 'escrowfs.approve')
    await desk.editor.click('undo-', 'escrowfs.commit')
    expect(desk.place.text('src/a.ts')).toBe('a one\na two\n')
  })
})

describe('who decides', () => {
  const POLICY = { '.orchestration/policy.yaml': 'approval: { by: person }\n', 'src/a.ts': 'a\n' }

  it('is a person, where policy says so: a modal that no other extension can answer', async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'), POLICY)
    await desk.editor.click('a.ts', 'escrowfs.approve')
    expect(desk.editor.asked).toMatchObject([{ modal: true, text: 'Approve src/a.ts?', items: ['Yes'] }])
    expect((await reviewOf(desk)).states).toEqual({ 'src/a.ts': 'pending' })
    desk.editor.person = ({ items }) => items[0]
    await desk.editor.click('a.ts', 'escrowfs.approve')
    await desk.editor.click('agent', 'escrowfs.commit')
    expect(desk.place.text('src/a.ts')).toBe('one\n')
  })

  it("is nobody in an editor that an agent's session started", async () => {
    const desk = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'))
    process.env.ESCROW_SESSION = 'agent'
    try {
      for (const command of ['escrowfs.approve', 'escrowfs.reject', 'escrowfs.discard'])
        await desk.editor.click('a.ts', command)
      await desk.editor.click('agent', 'escrowfs.commit')
    } finally {
      delete process.env.ESCROW_SESSION
    }
    expect(new Set(desk.editor.asked.map(({ kind, text }) => `${kind} ${text.split(/[:.]/)[0]}`))).toEqual(
      new Set(['error An agent cannot decide about its own work']),
    )
  })
})
