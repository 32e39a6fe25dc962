import { rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { testWorkspace, startSession } from '../support/workspace.js'

type Act = (fs: Session['fs'], root: string) => void

/** Calls that stage a name without a change to commit. */
const IDLE: readonly (readonly [string, Act])[] = [
  ['a write of the same content', (fs) => fs.writeFileSync('src/a.ts', 'one\n')],
  [
    'a write, and one of the content that was there',
    (fs) => {
      fs.writeFileSync('src/a.ts', 'two\n')
      fs.writeFileSync('src/a.ts', 'one\n')
    },
  ],
  ['utimes', (fs) => fs.utimesSync('src/a.ts', 1, 2)],
  ['chown to the same owner', (fs) => fs.chownSync('src/a.ts', process.getuid?.() ?? 0, process.getgid?.() ?? 0)],
  [
    'a chmod and back',
    (fs) => {
      const { mode } = fs.statSync('src/a.ts')
      fs.chmodSync('src/a.ts', 0o700)
      fs.chmodSync('src/a.ts', mode & 0o7777)
    },
  ],
  [
    'a link that is removed again',
    (fs) => {
      fs.linkSync('src/a.ts', 'src/l.ts')
      fs.unlinkSync('src/l.ts')
    },
  ],
  [
    'a rename and back',
    (fs) => {
      fs.renameSync('src/a.ts', 'src/b.ts')
      fs.renameSync('src/b.ts', 'src/a.ts')
    },
  ],
]

/** Calls that read a name after the disk changed, each by another route through the facade. */
const READS: readonly (readonly [string, (fs: Session['fs']) => unknown, unknown])[] = [
  ['readFileSync', (fs) => fs.readFileSync('src/a.ts', 'utf8'), 'mine\n'],
  ['promises.readFile', (fs) => fs.promises.readFile('src/a.ts', 'utf8'), 'mine\n'],
  ['statSync', (fs) => fs.statSync('src/a.ts').size, 5],
  ['a descriptor', (fs) => readByDescriptor(fs), 'mine\n'],
]

function readByDescriptor(fs: Session['fs']): string {
  const fd = fs.openSync('src/a.ts', 'r')
  try {
    return fs.readFileSync(fd, 'utf8')
  } finally {
    fs.closeSync(fd)
  }
}

async function idle(act: Act) {
  const at = testWorkspace({ 'src/a.ts': 'one\n' })
  const workspace = await at.open()
  const session = await startSession(workspace)
  act(session.fs, at.root)
  expect((await session.changes()).changes).toEqual([])
  return { at, workspace, session }
}

describe('a staged file that changes nothing', () => {
  it.each(IDLE)('shows what a person writes on disk later: %s', async (_, act) => {
    for (const [name, read, expected] of READS) {
      const { at, session, workspace } = await idle(act)
      at.write('src/a.ts', 'mine\n')
      expect([name, await read(session.fs)]).toEqual([name, expected])
      expect((await session.changes()).changes).toEqual([])
      await workspace.close()
    }
  })

  it.each(IDLE)('is gone once a person removes it: %s', async (_, act) => {
    const { at, session } = await idle(act)
    rmSync(`${at.root}/src/a.ts`)
    expect(session.fs.existsSync('src/a.ts')).toBe(false)
    expect(() => session.fs.readFileSync('src/a.ts')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect((await session.changes()).changes).toEqual([])
  })

  it('shows what a person writes after the session is reopened', async () => {
    const { at, session, workspace } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    await session.close()
    at.write('src/a.ts', 'mine\n')
    const again = await workspace.session({ id: session.id })
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
  })

  it('bases the next write on the disk, so that it can be committed', async () => {
    const { at, session, workspace } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    at.write('src/a.ts', 'mine\n')
    session.fs.writeFileSync('src/a.ts', `${session.fs.readFileSync('src/a.ts', 'utf8')}more\n`)
    const review = await workspace.review(session.id)
    await review.approve(undefined, { name: 'Ann' })
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
    expect(at.text('src/a.ts')).toBe('mine\nmore\n')
  })

  it('has the content of the disk for a command', async () => {
    const { at, session } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    at.write('src/a.ts', 'mine\n')
    expect((await session.exec('cat src/a.ts')).stdout).toBe('mine\n')
  })

  it('keeps its times while the disk is unchanged', async () => {
    const { session } = await idle((fs) => fs.utimesSync('src/a.ts', 1, 2))
    expect(session.fs.statSync('src/a.ts').mtimeMs).toBe(2_000)
  })

  it('is still what an open descriptor refers to', async () => {
    const { at, session } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    const fd = session.fs.openSync('src/a.ts', 'r')
    at.write('src/a.ts', 'mine\n')
    session.fs.statSync('src/a.ts')
    expect(session.fs.readFileSync(fd, 'utf8')).toBe('one\n')
    session.fs.closeSync(fd)
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
  })

  it('can be the source of a link that was committed', async () => {
    const { at, session, workspace } = await idleLink()
    at.write('src/a.ts', 'mine\n')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
    await workspace.close()
  })

  it('may be a symbolic link', async () => {
    const at = testWorkspace({ 'src/a.ts': 'one\n', 'src/b.ts': 'two\n' })
    symlinkSync('a.ts', `${at.root}/src/l`)
    const { fs } = await startSession(await at.open())
    fs.lutimesSync('src/l', 1, 2)
    unlinkSync(`${at.root}/src/l`)
    symlinkSync('b.ts', `${at.root}/src/l`)
    expect(fs.readlinkSync('src/l')).toBe('b.ts')
    expect(fs.readFileSync('src/l', 'utf8')).toBe('two\n')
  })
})

async function idleLink() {
  const at = testWorkspace({ 'src/a.ts': 'one\n' })
  const workspace = await at.open()
  const session = await startSession(workspace)
  session.fs.linkSync('src/a.ts', 'src/l.ts')
  const review = await workspace.review(session.id)
  await review.approve(undefined, { name: 'Ann' })
  await review.commit()
  rmSync(`${at.root}/src/a.ts`)
  return { at, session, workspace }
}
