import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stateOf } from '../../support/state.js'
import { startSession, testWorkspace } from '../../support/workspace.js'
import { activateExtension, openExtension, useBuiltExtension } from './bundle.js'
import { Editor } from './editor.js'
import { readManifest } from './manifest.js'

const built = useBuiltExtension()
const open = (...rest: Parameters<typeof openExtension> extends [string, string, ...infer R] ? R : never) =>
  openExtension(built.dist(), built.home(), ...rest)

const LONG = `${Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n')}\n`

/** Files with a grammar that is in the bundle. */
const FILES_OF_CODE = {
  'src/a.ts': '// a\nexport const a = 1\n',
  'src/b.ts': 'export {}\n',
  'src/sub/c.ts': 'export {}\n',
}

describe('the tree', () => {
  it('has deletions first, then changes that need attention, then the rest by intent and call', async () => {
    const { editor } = await open(async (session) => {
      const { fs } = session
      fs.rmSync('src/b.ts')
      fs.writeFileSync('src/new.ts', 'new\nlines\n')
      fs.renameSync('src/sub/c.ts', 'src/c.ts')
      await session.toolCall({ tool: 'write_file', kind: 'edit', id: 'call-9' }, () =>
        fs.writeFileSync('src/a.ts', '// one\nexport const a = 1\n'),
      )
    }, FILES_OF_CODE)
    expect(editor.tree()).toEqual([
      'agent (4 changes, tester, m-1)',
      '  Deletions (1)',
      '    b.ts (src · delete, +0 −1 · look: The file is deleted.)',
      '  INT-001 (2)',
      '    c.ts (src · rename, from src/sub/c.ts)',
      '    new.ts (src · +2 −0)',
      '  INT-001, call call-9 (1)',
      '    a.ts (src · +1 −1, refactoring)',
    ])
    expect(editor.status.get('escrowfs.waiting')).toMatchObject({ text: '$(inbox) 4 changes', visible: true })
    expect(editor.badges.get('escrowfs.staged')?.badge).toEqual({ value: 4, tooltip: '4 changes' })
  })

  it('shows the riskiest fact of each change with its severity, and no notes', async () => {
    const guarded = 'export function f(user: User) {\n  if (!user.isAdmin) throw new Error()\n  drop()\n}\n'
    const { editor } = await open(
      ({ fs }) => {
        fs.writeFileSync('src/a.ts', guarded.replace(/ {2}if.*\n/, ''))
        fs.writeFileSync('src/b.ts', 'export const b = 2\n')
      },
      { 'src/a.ts': guarded, 'src/b.ts': 'export const b = 1\n' },
    )
    expect(editor.tree().slice(2)).toEqual([
      '    a.ts (src · +0 −1 · stop: A check of rights is gone: `isAdmin`.)',
      '    b.ts (src · +1 −1)',
    ])
    expect(editor.node('a.ts').item.tooltip).toMatch(/src\/a\.ts · stop: A check of rights is gone/)
  })

  it('has the hunks of a file with several, and follows the agent’s writes', async () => {
    const { editor, session, waitUntilShown: shows } = await open(undefined, { 'src/long.ts': LONG })
    expect(editor.tree()).toEqual([])
    session.fs.writeFileSync('src/long.ts', LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n'))
    await shows(() => editor.tree().length === 5)
    expect(editor.tree().slice(3)).toEqual(['      1–5  -line 2', '      25–30  -line 28'])
    await session.revert()
    await shows(() => editor.tree().length === 0)
    expect(editor.status.get('escrowfs.waiting')).toMatchObject({ visible: false })
    expect(editor.badges.get('escrowfs.staged')?.badge).toBeUndefined()
  })

  it('shows a hostile name on one line, distinct from others', async () => {
    const { editor } = await open(({ fs }) => {
      fs.writeFileSync('src/x\nb.ts', '\u202egnp.exe\n')
      fs.writeFileSync('src/<b>$(trash)[a](command:x)', '')
    })
    const text = editor.tree().join('|')
    expect(text).not.toMatch(/[\n\u202e]/)
    expect(text).toContain('x\ufffdb.ts')
    expect(editor.node('<b>$(trash)[a](command:x)').item.tooltip).toBeTypeOf('string')
  })

  it('serves several folders, releases a closed one, and ignores a folder that is not a workspace', async () => {
    const [one, two, plain] = [testWorkspace(), testWorkspace(), testWorkspace({}, '')]
    for (const project of [one, two]) (await startSession(await project.open())).fs.writeFileSync('src/a.ts', 'x\n')
    const editor = new Editor(readManifest(), [one.root, two.root, plain.root])
    await activateExtension(built.dist(), built.home(), editor)
    expect(editor.tree().filter((line) => !line.startsWith(' '))).toHaveLength(2)
    editor.roots = [two.root, plain.root]
    await editor.run('escrowfs.refresh')
    expect(editor.tree().filter((line) => !line.startsWith(' '))).toEqual(['agent (1 change, tester, m-1)'])
  })

  it('reports a session that cannot be read, and shows the others', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    for (const id of ['bad', 'good']) {
      const session = await startSession(workspace, id)
      session.fs.writeFileSync(`src/${id}.ts`, 'x\n')
      await session.close()
    }
    writeFileSync(`${stateOf(project.root)}/sessions/bad/review.jsonl`, '{"kind":"nonsense"}\n{}\n')
    const editor = new Editor(readManifest(), [project.root])
    await activateExtension(built.dist(), built.home(), editor)
    expect(editor.tree()).toEqual([
      'bad (tester, m-1, cannot be read)',
      'good (1 change, tester, m-1)',
      '  INT-001 (1)',
      '    good.ts (src · +1 −0)',
    ])
    await editor.click('bad', 'escrowfs.approve')
    expect(editor.asked.at(-1)?.kind).toBe('error')
  })

  it('reports a workspace that cannot be opened, and reviews the others', async () => {
    const [good, bad] = [testWorkspace(), testWorkspace({}, '')]
    ;(await startSession(await good.open())).fs.writeFileSync('src/a.ts', 'x\n')
    writeFileSync(`${bad.root}/.orchestration`, 'no directory')
    const editor = new Editor(readManifest(), [bad.root, good.root])
    await activateExtension(built.dist(), built.home(), editor)
    expect(editor.asked.map(({ kind }) => kind)).toEqual(['error'])
    expect(editor.tree()).toHaveLength(3)
  })
})

describe('editors', () => {
  it('show both sides of a change, and one side of a file that is new or deleted', async () => {
    const { editor } = await open(({ fs }) => {
      fs.rmSync('src/b.ts')
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/new.ts', 'new\n')
    })
    for (const name of ['b.ts', 'a.ts', 'new.ts']) await editor.open(name)
    expect(editor.diffs.map(({ title, before, after }) => [title, before.text, after.text])).toEqual([
      ['src/a.ts (agent)', 'a one\na two\n', 'one\n'],
    ])
    expect(editor.opened.map(({ title, document }) => [title, document.text])).toEqual([
      ['src/b.ts (agent, deleted)', 'b\n'],
      ['src/new.ts (agent, new)', 'new\n'],
    ])
    expect(editor.lenses().map(({ command }) => command.title)).toContain('$(check) Approve')
  })

  it('show all changes of a session in one editor, in the order of the tree', async () => {
    const { editor, project } = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.rmSync('src/b.ts')
      fs.mkdirSync('src/empty')
    })
    await editor.click('agent', 'escrowfs.openAll')
    expect(editor.changes).toEqual([
      { title: 'Staged by agent', paths: [`${project.root}/src/b.ts`, `${project.root}/src/a.ts`] },
    ])
  })

  it('have verdicts above each hunk of the staged side, and none after the stage has changed', async () => {
    const {
      editor,
      session,
      waitUntilShown: shows,
    } = await open(
      ({ fs }) => fs.writeFileSync('src/long.ts', LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n')),
      { 'src/long.ts': LONG },
    )
    await editor.open('long.ts')
    expect(editor.lenses().map(({ range, command }) => [range.start.line, command.title])).toEqual(
      [0, 24].flatMap((line) =>
        ['$(check) Approve', '$(close) Reject…', '$(trash) Discard…'].map((name) => [line, name]),
      ),
    )
    expect(editor.lenses(editor.diffs[0]?.before)).toEqual([])
    session.fs.appendFileSync('src/long.ts', 'end\n')
    await shows(() => editor.lenses().length === 0)
  })
})

const ASKS = 'access:\n  src/asked: ask\n'

describe('questions', () => {
  it('are asked once when they appear, and the answer reaches the agent', async () => {
    const {
      editor,
      session,
      project,
      waitUntilShown: shows,
    } = await open(undefined, {
      '.orchestration/policy.yaml': ASKS,
      'src/asked/a.ts': 'a\n',
    })
    editor.person = ({ text }) => (text.includes('May it write') ? 'Its directory' : undefined)
    expect(() => session.fs.writeFileSync('src/asked/a.ts', 'b\n')).toThrow(/EACCES/)
    await session.flush()
    await shows(() => editor.asked.length > 0)
    expect(editor.asked[0]).toMatchObject({
      text: 'agent: May it write src/asked/a.ts? The rule src/asked asks.',
      items: ['Allow', 'Once', 'Its directory', 'Deny'],
    })
    await shows(() => editor.tree().length === 0)
    await session.feedback()
    session.fs.writeFileSync('src/asked/a.ts', 'b\n')
    await shows(() => editor.tree().length > 0)
    expect([editor.asked.length, project.text('src/asked/a.ts')]).toEqual([1, 'a\n'])
  })

  it('stay in the tree if closed, can be answered there, and need a reason for a denial', async () => {
    const { editor, session, waitUntilShown: shows } = await open()
    await session.requestScope(['docs/**'], 'It has to be documented.')
    await shows(() => editor.asked.length === 1)
    expect(editor.tree()).toEqual([
      'agent (1 question, tester, m-1)',
      '  May INT-001 own docs/** too? It says: It has to be documented.',
    ])
    expect(editor.status.get('escrowfs.waiting')?.text).toBe('$(inbox) 1 question')
    editor.person = ({ kind }) => (kind === 'input' ? ' ' : 'Deny')
    await editor.click('May INT-001', 'escrowfs.answer')
    expect(editor.tree()).toHaveLength(2)
    editor.person = ({ kind }) => (kind === 'input' ? 'Not now.' : 'Deny')
    await editor.open('May INT-001')
    expect(editor.tree()).toEqual([])
    expect(await session.feedback()).toMatchObject([{ reason: expect.stringContaining('Not now.') }])
  })
})

it("loads the workspace's own escrowfs on a machine setting, and reports a missing one", async () => {
  const project = testWorkspace()
  const editor = new Editor(readManifest(), [project.root])
  editor.settings.set('escrowfs.library', 'workspace')
  await activateExtension(built.dist(), built.home(), editor)
  expect(editor.asked[0]).toMatchObject({
    kind: 'error',
    text: expect.stringContaining("Cannot find module 'escrowfs'"),
  })
  const own = `${project.root}/node_modules/escrowfs`
  mkdirSync(own, { recursive: true })
  onTestFinished(() => rmSync(own, { recursive: true, force: true }))
  const exports = { '.': './index.mjs', './vscode': './vscode.mjs' }
  writeFileSync(`${own}/package.json`, JSON.stringify({ name: 'escrowfs', exports }))
  writeFileSync(`${own}/index.mjs`, 'export const openWorkspace = () => {}')
  writeFileSync(`${own}/vscode.mjs`, '')
  await editor.run('escrowfs.refresh')
  expect(editor.asked.at(-1)?.text).toBe('The escrowfs that was found is another release.')
})
