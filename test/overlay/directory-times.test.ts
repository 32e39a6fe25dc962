import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createBareFacade, tempDir } from '../support/facade.js'

type Act = (fs: typeof import('node:fs'), root: string) => void

const ACTS: readonly (readonly [string, Act])[] = [
  ['a file is created', (on, root) => on.writeFileSync(`${root}/d/new`, 'x')],
  ['a directory is created', (on, root) => on.mkdirSync(`${root}/d/new`)],
  ['a link is created', (on, root) => on.symlinkSync('a', `${root}/d/new`)],
  ['a file is renamed', (on, root) => on.linkSync(`${root}/d/a`, `${root}/d/new`)],
  ['a file is removed', (on, root) => on.unlinkSync(`${root}/d/a`)],
  ['a file is moved out', (on, root) => on.renameSync(`${root}/d/a`, `${root}/away`)],
  ['a file is moved in', (on, root) => on.renameSync(`${root}/b`, `${root}/d/came`)],
  ['a directory is created and removed', (on, root) => on.rmdirSync(on.mkdtempSync(`${root}/d/new`))],
]
const STILL: readonly (readonly [string, Act])[] = [
  ['a file in it is written', (on, root) => on.writeFileSync(`${root}/d/a`, 'other')],
  ['a file in it changes its mode', (on, root) => on.chmodSync(`${root}/d/a`, 0o600)],
  ['a name is created in a directory below', (on, root) => on.writeFileSync(`${root}/d/in/new`, 'x')],
]

function place() {
  const dirs = [tempDir(), tempDir()]
  for (const { path: root } of dirs) {
    fs.mkdirSync(`${root}/d/in`, { recursive: true })
    for (const name of ['d/a', 'b']) fs.writeFileSync(`${root}/${name}`, 'a')
    for (const name of ['d/in', 'd']) fs.utimesSync(`${root}/${name}`, 1_000, 1_000)
  }
  onTestFinished(() => {
    for (const each of dirs) each.dispose()
  })
  const [plain, governed] = dirs.map(({ path }) => path) as [string, string]
  return { plain, governed, facade: createBareFacade(governed).fs }
}

function timesOf(on: typeof fs, dir: string): unknown[] {
  const began = Date.now() - 60_000
  const [small, big] = [on.statSync(dir), on.statSync(dir, { bigint: true })]
  const moved = [
    small.mtimeMs,
    small.ctimeMs,
    small.mtime.getTime(),
    Number(big.mtimeNs / 1_000_000n),
    Number(big.ctimeMs),
  ]
  return [...moved.map((ms) => ms > began), small.isDirectory(), on.lstatSync(dir).mtimeMs === small.mtimeMs]
}

describe('the times of a directory on disk', () => {
  it.each(ACTS)("change when %s, as Node's do", (_, act) => {
    const { plain, governed, facade } = place()
    act(fs, plain)
    act(facade, governed)
    expect(timesOf(facade, `${governed}/d`)).toEqual(timesOf(fs, `${plain}/d`))
    expect(facade.statSync(`${governed}/d`).mtimeMs).toBeGreaterThan(1_000_000)
    expect(fs.statSync(`${governed}/d`).mtimeMs).toBe(1_000_000)
  })

  it.each(STILL)("stay when %s, as Node's do", (_, act) => {
    const { plain, governed, facade } = place()
    act(fs, plain)
    act(facade, governed)
    expect([facade.statSync(`${governed}/d`).mtimeMs, fs.statSync(`${plain}/d`).mtimeMs]).toEqual([
      1_000_000, 1_000_000,
    ])
  })

  it('come with a link count of one, which means that subdirectories are not counted', () => {
    const { governed, facade } = place()
    facade.mkdirSync(`${governed}/d/new`)
    expect([facade.statSync(`${governed}/d`).nlink, facade.statSync(`${governed}/d`, { bigint: true }).nlink]).toEqual([
      1,
      1n,
    ])
  })

  it('are the disk’s if those are later', () => {
    const { governed, facade } = place()
    facade.writeFileSync(`${governed}/d/new`, 'x')
    const later = new Date(Date.now() + 100_000)
    fs.utimesSync(`${governed}/d`, later, later)
    expect(facade.statSync(`${governed}/d`).mtime).toEqual(later)
  })
})
