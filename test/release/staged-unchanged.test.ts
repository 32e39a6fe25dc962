import { rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { startSession, testWorkspace } from '../support/workspace.js'

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
  const project = testWorkspace({ 'src/a.ts': 'one\n' })
  const workspace = await project.open()
  const session = await startSession(workspace)
  act(session.fs, project.root)
  expect((await session.changes()).changes).toEqual([])
  return { project, workspace, session }
}

describe('a staged file that changes nothing', () => {
  it.each(IDLE)('shows what a person writes on disk later: %s', async (_, act) => {
    for (const [name, read, expected] of READS) {
      const { project, session, workspace } = await idle(act)
      project.write('src/a.ts', 'mine\n')
      expect([name, await read(session.fs)]).toEqual([name, expected])
      expect((await session.changes()).changes).toEqual([])
      await workspace.close()
    }
  })

  it.each(IDLE)('is gone once a person removes it: %s', async (_, act) => {
    const { project, session } = await idle(act)
    rmSync(`${project.root}/src/a.ts`)
    expect(session.fs.existsSync('src/a.ts')).toBe(false)
    expect(() => session.fs.readFileSync('src/a.ts')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect((await session.changes()).changes).toEqual([])
  })

  it('shows what a person writes after the session is reopened', async () => {
    const { project, session, workspace } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    await session.close()
    project.write('src/a.ts', 'mine\n')
    const again = await workspace.session({ id: session.id })
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
  })

  it('bases the next write on the disk, so that it can be committed', async () => {
    const { project, session, workspace } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    project.write('src/a.ts', 'mine\n')
    session.fs.writeFileSync('src/a.ts', `${session.fs.readFileSync('src/a.ts', 'utf8')}more\n`)
    const review = await workspace.review(session.id)
    await review.approve(undefined, { name: 'Ann' })
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
    expect(project.text('src/a.ts')).toBe('mine\nmore\n')
  })

  it('has the content of the disk for a command', async () => {
    const { project, session } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    project.write('src/a.ts', 'mine\n')
    expect((await session.exec('cat src/a.ts')).stdout).toBe('mine\n')
  })

  it('keeps its times while the disk is unchanged', async () => {
    const { session } = await idle((fs) => fs.utimesSync('src/a.ts', 1, 2))
    expect(session.fs.statSync('src/a.ts').mtimeMs).toBe(2_000)
  })

  it('is still what an open descriptor refers to', async () => {
    const { project, session } = await idle((fs) => fs.writeFileSync('src/a.ts', 'one\n'))
    const fd = session.fs.openSync('src/a.ts', 'r')
    project.write('src/a.ts', 'mine\n')
    session.fs.statSync('src/a.ts')
    expect(session.fs.readFileSync(fd, 'utf8')).toBe('one\n')
    session.fs.closeSync(fd)
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
  })

  it('can be the source of a link that was committed', async () => {
    const { project, session, workspace } = await idleLink()
    project.write('src/a.ts', 'mine\n')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine\n')
    await workspace.close()
  })

  it('may be a symbolic link', async () => {
    const project = testWorkspace({ 'src/a.ts': 'one\n', 'src/b.ts': 'two\n' })
    symlinkSync('a.ts', `${project.root}/src/l`)
    const { fs } = await startSession(await project.open())
    fs.lutimesSync('src/l', 1, 2)
    unlinkSync(`${project.root}/src/l`)
    symlinkSync('b.ts', `${project.root}/src/l`)
    expect(fs.readlinkSync('src/l')).toBe('b.ts')
    expect(fs.readFileSync('src/l', 'utf8')).toBe('two\n')
  })
})

async function idleLink() {
  const project = testWorkspace({ 'src/a.ts': 'one\n' })
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.linkSync('src/a.ts', 'src/l.ts')
  const review = await workspace.review(session.id)
  await review.approve(undefined, { name: 'Ann' })
  await review.commit()
  rmSync(`${project.root}/src/a.ts`)
  return { project, session, workspace }
}
