import { describe, expect, it } from 'vitest'
import { keysOf } from '../../../src/review/index.js'
import { openExtension, useBuiltExtension } from './bundle.js'
import { readManifest } from './manifest.js'

const built = useBuiltExtension()
const open = (...rest: Parameters<typeof openExtension> extends [string, string, ...infer R] ? R : never) =>
  openExtension(built.dist(), built.home(), ...rest)

const LONG = `${Array.from({ length: 30 }, (_, n) => `line ${n + 1}`).join('\n')}\n`
const TWO = LONG.replace('line 2\n', 'two\n').replace('line 28\n', 'more\n')
const FILES = { 'src/a.ts': 'a\n', 'src/long.ts': LONG }

const COMMANDS: Readonly<Record<string, string>> = {
  approve: 'escrowfs.approveHunk',
  reject: 'escrowfs.rejectHunk',
  approveFile: 'escrowfs.approve',
  rejectFile: 'escrowfs.reject',
  undo: 'escrowfs.takeBack',
  commit: 'escrowfs.commit',
  next: 'escrowfs.next',
  previous: 'escrowfs.previous',
  nextFile: 'escrowfs.nextFile',
  previousFile: 'escrowfs.previousFile',
}
/** Keys that move the editor's focus. */
const FOCUS = ['Tab', 'Shift-Tab']

describe('the keys', () => {
  it('match the shared table, in the document and in the view', () => {
    const editorKey = (key: string) => (/^[A-Z]$/.test(key) ? `shift+${key.toLowerCase()}` : key)
    const wanted = keysOf('editor').flatMap(({ keys, action }) =>
      keys
        .filter((key) => !FOCUS.includes(key))
        .flatMap((key) => [0, 1].map(() => `${editorKey(key)} ${COMMANDS[action] ?? action}`)),
    )
    expect(readManifest().keys.map(({ key, command }) => `${key} ${command}`)).toEqual(wanted)
  })

  it('decide hunk by hunk, move to the next undecided one, take back, and commit after a modal', async () => {
    const model = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/long.ts', TWO)
    }, FILES)
    const { editor } = model
    await editor.press('j', 'view')
    expect(editor.active?.document.uri.path).toBe('/src/a.ts')
    await editor.press('y')
    expect(editor.node('a.ts').item.contextValue).toBe('change.approved')
    expect([editor.active?.document.uri.path, editor.active?.selection.active.line]).toEqual(['/src/long.ts', 0])
    editor.person = ({ kind }) => (kind === 'input' ? 'Keep it.' : undefined)
    await editor.press('n')
    expect(await model.session.feedback()).toMatchObject([{ path: 'src/long.ts', reason: 'Keep it.' }])
    expect(editor.active?.selection.active.line).toBe(24)
    await editor.press('k')
    expect(editor.active?.selection.active.line).toBe(0)
    await editor.press('u')
    expect(editor.node('1–5').item.contextValue).toBe('hunk.pending')
    await editor.press('shift+y')
    expect(editor.node('long.ts').item.contextValue).toBe('change.approved')
    await editor.press('shift+k')
    expect(editor.active?.document.uri.path).toBe('/src/a.ts')
    await editor.press('c')
    expect(editor.asked.at(-2)).toMatchObject({
      modal: true,
      text: 'Commit 2 files?',
      detail: 'src/a.ts · +1 −1\nsrc/long.ts · +2 −2',
    })
    expect(model.project.text('src/long.ts')).toBe(TWO)
  })

  it('a refused verdict does not move the cursor', async () => {
    const { editor, session } = await open(({ fs }) => {
      fs.writeFileSync('src/a.ts', 'one\n')
      fs.writeFileSync('src/long.ts', TWO)
    }, FILES)
    await editor.press('j', 'view')
    session.fs.writeFileSync('src/a.ts', 'evil\n')
    await editor.press('y')
    expect(editor.asked.at(-1)?.text).toContain('src/a.ts has changed since it was shown')
    expect(editor.active?.document.uri.path).toBe('/src/a.ts')
    await editor.press('c')
    expect(editor.asked.at(-1)).toMatchObject({ kind: 'error', text: expect.stringContaining('Nothing is approved') })
  })

  it('decide on the selection of the view, and take back the last verdict', async () => {
    const { editor } = await open(({ fs }) => fs.writeFileSync('src/a.ts', 'one\n'), FILES)
    editor.selected = [editor.node('a.ts').node]
    await editor.press('y', 'view')
    expect(editor.statusMessages.at(-1)).toBe('Every change of this session is decided.')
    expect(editor.node('a.ts').item.contextValue).toBe('change.approved')
    editor.selected = []
    await editor.press('u', 'view')
    expect(editor.node('a.ts').item.contextValue).toBe('change.pending')
    await editor.press('u', 'view')
    expect(editor.asked.at(-1)).toMatchObject({ kind: 'error', text: 'There is no verdict to take back.' })
  })
})

describe('an approval of more than one file', () => {
  it('shows amounts and risks, asks, and is taken back as a whole', async () => {
    const { editor } = await open(({ fs }) => {
      fs.rmSync('src/a.ts')
      fs.writeFileSync('src/long.ts', TWO)
      fs.writeFileSync('src/new.bin', Buffer.from([0, 1, 2]))
    }, FILES)
    editor.confirms = false
    await editor.click('agent', 'escrowfs.approve')
    expect(editor.asked).toMatchObject([
      {
        modal: true,
        text: 'Approve 3 files?',
        detail: '3 files, 4 hunks.\n1 deletion: src/a.ts\n1 binary file: src/new.bin',
        items: ['Approve'],
      },
    ])
    expect(editor.node('a.ts').item.contextValue).toBe('change.pending')
    editor.person = ({ items }) => items[0]
    await editor.click('agent', 'escrowfs.approve')
    await expect.poll(() => editor.node('a.ts').item.contextValue).toBe('change.pending')
    expect(editor.asked.map(({ text }) => text)).toContain('3 files approved.')
    expect(editor.node('long.ts').item.contextValue).toBe('change.pending')
  })
})
