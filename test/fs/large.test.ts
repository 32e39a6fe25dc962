import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

const SIZE = (5 << 20) + 3
const large = (mark: number) => Buffer.alloc(SIZE, mark)

async function place() {
  const project = testWorkspace({ 'src/a.ts': 'one\n' })
  fs.writeFileSync(`${project.root}/src/low`, large(1))
  const workspace = await project.open()
  const agent = await startSession(workspace)
  return { project, workspace, agent, fs: agent.fs, path: (name: string) => `${project.root}/src/${name}` }
}

/** The number of timers that ran during the work. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isDone = true
  return turns
}

type Api = typeof fs
const FORMS: readonly (readonly [string, (api: Api, path: (name: string) => string) => Promise<unknown>])[] = [
  ['promises.writeFile of a new file', (api, path) => api.promises.writeFile(path('new'), large(2))],
  ['promises.writeFile over a file of the disk', (api, path) => api.promises.writeFile(path('low'), large(2))],
  ['writeFile with a callback', (api, path) => new Promise((done) => api.writeFile(path('new'), large(2), done))],
  ['promises.readFile', (api, path) => api.promises.readFile(path('low'))],
  ['promises.copyFile', (api, path) => api.promises.copyFile(path('low'), path('copy'))],
]

describe('large content', () => {
  it.each(FORMS)('does not block the event loop in %s', async (_, work) => {
    const at = await place()
    expect(await turnsOf(() => work(at.fs, at.path))).toBeGreaterThan(4)
  })

  it('is the same as Node’s', async () => {
    const at = await place()
    await at.fs.promises.writeFile(at.path('new'), large(2), { mode: 0o600 })
    await at.fs.promises.writeFile(at.path('low'), large(3))
    await at.fs.promises.copyFile(at.path('low'), at.path('copy'))
    expect(at.fs.readFileSync(at.path('new')).equals(large(2))).toBe(true)
    expect(at.fs.statSync(at.path('new')).mode & 0o777).toBe(0o600)
    expect(at.fs.readFileSync(at.path('copy')).equals(large(3))).toBe(true)
    expect(fs.readFileSync(at.path('low')).equals(large(1))).toBe(true)
    const { changes } = await at.agent.changes()
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'create src/copy',
      'modify src/low',
      'create src/new',
    ])
    const review = await at.workspace.review('agent')
    await review.approve()
    await review.commit()
    for (const [name, mark] of [
      ['low', 3],
      ['copy', 3],
      ['new', 2],
    ] as const)
      expect(fs.readFileSync(at.path(name)).equals(large(mark))).toBe(true)
  })

  it('becomes visible only when it is complete', async () => {
    const at = await place()
    const writing = at.fs.promises.writeFile(at.path('new'), large(2))
    expect(at.fs.existsSync(at.path('new'))).toBe(false)
    await writing
    expect(at.fs.statSync(at.path('new')).size).toBe(SIZE)
  })

  it('is refused before it is stored, and again after a conflicting change', async () => {
    const at = await place()
    await expect(at.fs.promises.writeFile(`${at.project.root}/mail/new`, large(2))).rejects.toMatchObject({
      code: 'EACCES',
    })
    await expect(at.fs.promises.writeFile(at.path('none/new'), large(2))).rejects.toMatchObject({ code: 'ENOENT' })
    const writing = at.fs.promises.writeFile(at.path('new'), large(2))
    at.fs.mkdirSync(at.path('new'))
    await expect(writing).rejects.toMatchObject({ code: 'EISDIR', syscall: 'open', path: at.path('new') })
    const exclusive = at.fs.promises.writeFile(at.path('x'), large(2), { flag: 'wx' })
    at.fs.writeFileSync(at.path('x'), 'first')
    await expect(exclusive).rejects.toMatchObject({ code: 'EEXIST' })
    const copying = at.fs.promises.copyFile(at.path('low'), at.path('y'), fs.constants.COPYFILE_EXCL)
    at.fs.writeFileSync(at.path('y'), 'first')
    await expect(copying).rejects.toMatchObject({ code: 'EEXIST' })
    expect(at.fs.readFileSync(at.path('y'), 'utf8')).toBe('first')
  })

  it('is based on the disk before it, so that a concurrent edit is drift', async () => {
    const at = await place()
    await at.fs.promises.readFile(at.path('low'))
    await at.fs.promises.writeFile(at.path('low'), large(2))
    fs.writeFileSync(at.path('low'), large(4))
    const { changes } = await at.agent.changes()
    expect(changes.map(({ flags }) => flags.includes('drifted'))).toEqual([true])
  })

  it('stops at a signal', async () => {
    const at = await place()
    const controller = new AbortController()
    const writing = at.fs.promises.writeFile(at.path('new'), large(2), { signal: controller.signal })
    controller.abort()
    await expect(writing).rejects.toMatchObject({ name: 'AbortError' })
    expect(at.fs.existsSync(at.path('new'))).toBe(false)
  })

  it('is not copied if an open truncates the file', async () => {
    const at = await place()
    const fd = at.fs.openSync(at.path('low'), 'w')
    at.fs.writeSync(fd, 'short')
    at.fs.closeSync(fd)
    expect(at.fs.readFileSync(at.path('low'), 'utf8')).toBe('short')
    expect((await at.agent.changes()).changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['modify src/low'])
  })
})
