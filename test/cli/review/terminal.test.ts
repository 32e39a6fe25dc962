import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { charsetOf } from '../../../src/cli/review/terminal.js'
import type { Session } from '../../../src/core/api.js'
import { compileOnce } from '../../support/compiled.js'
import { tempDir } from '../../support/facade.js'
import { stateOf } from '../../support/state.js'
import { start, type Terminal, type TerminalOptions } from '../../support/tmux.js'
import { startSession, type TestWorkspace, testWorkspace } from '../../support/workspace.js'
import { numberedLines } from './sets.js'

const escrow = (args: string) => `${process.execPath} ${compileOnce()}/test/children/escrow.js ${args}`

interface ReviewOptions extends TerminalOptions {
  readonly args?: string
  /** Shell commands to run first. */
  readonly before?: string
}

interface Setup {
  readonly project: TestWorkspace
  readonly session: Session
  /** Starts a review in a terminal. */
  startReview(options?: ReviewOptions): Terminal
}

async function setUp(now: Readonly<Record<string, string>> = {}): Promise<Setup> {
  const project = testWorkspace({ 'src/a.ts': numberedLines(40), 'src/b.ts': 'b\n', '.gitconfig': '' })
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', numberedLines(40, { 3: 'three', 30: 'thirty' }))
  session.fs.writeFileSync('src/new.ts', 'export const fresh = 1\n')
  for (const [path, text] of Object.entries(now)) session.fs.writeFileSync(path, text)
  await session.flush()
  // tmux may not have read a program's last output when it sees the exit, and then scrolls the screen by some lines.
  const startReview = ({ args = 'review agent', before = '', ...options }: ReviewOptions = {}) => {
    const command = `echo; echo; echo; echo; (${before}${escrow(args)}); code=$?; sleep 0.3; exit $code`
    return start(command, { cwd: project.root, ...options })
  }
  return { project, session, startReview }
}

const verdicts = ({ root }: TestWorkspace) => {
  const file = `${stateOf(root)}/sessions/agent/review.jsonl`
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  return lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'verdict')
}

describe('escrow review in a terminal', () => {
  it('rejects a hunk with a reason for the agent, approves the rest, and commits', async () => {
    const { project, session, startReview } = await setUp()
    const t = startReview()
    await t.waitFor('1/3 src/a.ts')
    t.key('n')
    await t.waitFor('Reject; tell the agent why')
    t.type('spell it 3')
    await t.waitFor('> spell it 3')
    t.key('Enter')
    await t.waitFor('is rejected')
    await session.flush()
    expect(await session.feedback()).toMatchObject([{ kind: 'rejected', path: 'src/a.ts', reason: 'spell it 3' }])
    await t.waitFor('2/3 src/a.ts')
    t.key('y')
    await t.waitFor('3/3 src/new.ts')
    t.key('y')
    await t.waitFor('1 approved')
    t.key('c')
    await t.waitFor('Write to disk')
    t.key('y')
    await t.waitFor('2 changes committed, number 1.')
    expect(project.text('src/a.ts')).toBe(numberedLines(40, { 30: 'thirty' }))
    expect(project.text('src/new.ts')).toBe('export const fresh = 1\n')
    t.key('q')
    expect(await t.waitForExit()).toBe(0)
    expect(t.screen()).toContain("Session 'agent', 1 change: 0 approved, 1 rejected, 0 pending.")
  })

  it('works at 60 columns and 15 rows, without colours, without UTF-8, and after a resize', async () => {
    const { startReview } = await setUp({ 'src/new.ts': `wide 漢字\tand ${'w'.repeat(60)}\u202e\n` })
    const t = startReview({ columns: 60, rows: 15, env: { NO_COLOR: '1', LC_ALL: 'C' } })
    await t.waitFor('| +three')
    t.key('G')
    const text = await t.waitFor('<U+202E>')
    expect(text).toMatch(/^[\x20-\x7e\n]*$/)
    expect(text).toContain('+wide <U+6F22><U+5B57>')
    expect(t.screen({ colors: true })).not.toMatch(/\x1b\[(\d+;)*3[0-7]/)
    t.resize(100, 30)
    await t.waitFor('x discard')
    t.resize(18, 4)
    await t.waitFor('too small')
    t.key('y')
    t.resize(60, 15)
    await t.waitFor('<U+202E>')
    t.key('q')
    await t.waitForExit()
    expect(t.screen()).toContain('0 approved')
  })

  it('Ctrl-C at any prompt changes nothing', async () => {
    const { project, startReview } = await setUp()
    const t = startReview()
    await t.waitFor('1/3 src/a.ts')
    for (const [key, prompt] of [
      ['n', 'Reject; tell'],
      ['N', 'Reject src/a.ts; tell'],
      ['A', 'Approve all but'],
      ['x', 'for good?'],
      ['/', 'Search'],
    ] as const) {
      t.key(key)
      await t.waitFor(prompt)
      t.key('C-c')
      await t.waitFor('Nothing was changed.')
      t.key('C-l')
      await t.waitFor(' y yes')
    }
    t.key('C-c')
    expect(await t.waitForExit()).toBe(0)
    expect(verdicts(project)).toEqual([])
    expect(t.screen()).toContain('2 pending')
  })

  it('two reviewers and an agent at once: no verdict is lost or covers unseen content', async () => {
    const { project, session, startReview } = await setUp({ 'src/b.ts': 'one\n' })
    const [ann, ben] = [startReview({ args: 'review agent --by Ann' }), startReview({ args: 'review agent --by Ben' })]
    await Promise.all([ann.waitFor('1/4 src/a.ts'), ben.waitFor('1/4 src/a.ts')])
    ann.key('y')
    ben.key('j')
    await ben.waitFor('2/4 src/a.ts')
    ben.key('n')
    ben.type('no')
    ben.key('Enter')
    await Promise.all([ann.waitFor(/pending[\s\S]*rejected/), ben.waitFor(/approved[\s\S]*rejected/)])
    ann.key('j')
    await ann.waitFor('src/b.ts  pending')
    session.fs.writeFileSync('src/b.ts', 'two\n')
    await session.flush()
    await ann.waitFor('+two')
    await new Promise((resolve) => setTimeout(resolve, 700))
    ann.key('y')
    await ann.waitFor('src/b.ts is approved')
    const recorded = verdicts(project).map(({ by, verdict, entries }) => [
      by.name,
      verdict,
      entries[0].path,
      entries[0].hunks?.length,
    ])
    expect(recorded.sort()).toEqual([
      ['Ann', 'approved', 'src/a.ts', 1],
      ['Ann', 'approved', 'src/b.ts', 1],
      ['Ben', 'rejected', 'src/a.ts', 1],
    ])
    ann.key('c')
    await ann.waitFor('on disk')
    ann.key('y')
    await ann.waitFor('2 changes committed')
    expect([project.text('src/a.ts'), project.text('src/b.ts')]).toEqual([numberedLines(40, { 3: 'three' }), 'two\n'])
    for (const each of [ann, ben]) each.key('q')
    await Promise.all([ann.waitForExit(), ben.waitForExit()])
  })

  it('edits in $EDITOR, splits, undoes', async () => {
    const { project, session, startReview } = await setUp({ 'src/a.ts': numberedLines(40, { 3: 'three', 5: 'five' }) })
    const { path: tools, dispose } = tempDir()
    onTestFinished(dispose)
    const editor = `${tools}/editor.sh`
    writeFileSync(editor, '#!/bin/sh\nsed -i s/five/FIVE/ "$1"\n')
    chmodSync(editor, 0o755)
    const t = startReview({ env: { EDITOR: editor, VISUAL: undefined } })
    await t.waitFor('+five')
    t.key('e')
    await t.waitFor(/\+FIVE[\s\S]*needs a verdict/)
    t.key('s')
    await t.waitFor(/1\/3[\s\S]*Split into 2/)
    t.key('y')
    await t.waitFor('is approved')
    t.key('k')
    t.key('u')
    await t.waitFor('undecided again')
    t.key('q')
    await t.waitForExit()
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(numberedLines(40, { 3: 'three', 5: 'FIVE' }))
    expect(verdicts(project).map(({ verdict }) => verdict)).toEqual(['approved', 'withdrawn'])
  })

  it('Ctrl-C in an editor is for the editor alone', async () => {
    const { startReview } = await setUp()
    const { path: tools, dispose } = tempDir()
    onTestFinished(dispose)
    const editor = `${tools}/editor.sh`
    writeFileSync(editor, `#!/bin/sh\ntrap 'touch ${tools}/interrupted' INT\necho editing; read line; exit 0\n`)
    chmodSync(editor, 0o755)
    const t = startReview({ env: { EDITOR: editor, VISUAL: undefined, TMPDIR: tools } })
    await t.waitFor('1/3 src/a.ts')
    t.key('e')
    await t.waitFor('editing')
    t.key('C-c')
    await vi.waitFor(() => expect(existsSync(`${tools}/interrupted`)).toBe(true), 10_000)
    t.key('Enter')
    await t.waitFor('1/3 src/a.ts')
    t.key('q')
    expect(await t.waitForExit()).toBe(0)
    expect(readdirSync(tools).filter((name) => name.startsWith('escrow-edit-'))).toEqual([])
  })

  it('restores the terminal on Ctrl-Z and at the end, and takes it again after Ctrl-Z', async () => {
    const { project } = await setUp()
    const shell = start('PS1="ready> " exec sh -i', { cwd: project.root })
    await shell.waitFor('ready>')
    shell.type(`${escrow('review agent')}\n`)
    await shell.waitFor('1/3 src/a.ts')
    shell.key('C-z')
    await shell.waitFor(/Stopped[\s\S]*ready>/)
    shell.type('fg\n')
    await shell.waitFor('1/3 src/a.ts')
    shell.key('q')
    await shell.waitFor(/2 pending\.\n[\s\S]*ready>/)
    shell.type('stty -a\n')
    await shell.waitFor(/ icanon[\s\S]* echo /)
  })

  it('restores the terminal on a signal, and exits with its code', async () => {
    const { project, startReview } = await setUp()
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
      ['SIGINT', 130],
      ['SIGQUIT', 131],
    ] as const) {
      const t = startReview({ before: 'exec sh -c \'echo $$ > .pid; exec "$@"\' sh ' })
      await t.waitFor('1/3 src/a.ts')
      process.kill(Number(project.text('.pid')), signal)
      expect(await t.waitForExit()).toBe(code)
      expect(t.screen()).toContain('2 pending.')
    }
  })

  it('lists the sessions to review if none is named', async () => {
    const { startReview } = await setUp()
    const t = startReview({ args: 'review' })
    const list = await t.waitFor('agent  2 changes  ● live')
    expect(list).toContain('m-1  INT-001')
    t.key('Enter')
    await t.waitFor('1/3 src/a.ts')
    t.key('q')
    await t.waitFor('1 session to review')
    t.key('q')
    expect(await t.waitForExit()).toBe(0)
  })
})

describe('the characters a terminal shows', () => {
  it('follow the locale', () => {
    expect(charsetOf({ LANG: 'en_US.UTF-8' }, 'linux')).toBe('utf-8')
    expect(charsetOf({ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux')).toBe('ascii')
    expect(charsetOf({}, 'linux')).toBe('ascii')
    expect(charsetOf({}, 'darwin')).toBe('utf-8')
    expect(charsetOf({}, 'win32')).toBe('utf-8')
  })
})
