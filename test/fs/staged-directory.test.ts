import { mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeOf } from '../../overlay/index.js'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

/** A root with a sibling `outside` that has a secret, and a facade that has staged the directory `d` in the root. */
function stagedDirectory(): BareFacade & { root: string } {
  const { path: outer, dispose } = tempDir()
  onTestFinished(dispose)
  const root = `${outer}/root`
  mkdirSync(root)
  mkdirSync(`${outer}/outside/deep`, { recursive: true })
  writeFileSync(`${outer}/outside/secret`, 'secret')
  writeFileSync(`${outer}/outside/deep/secret`, 'secret')
  const facade = createBareFacade(root)
  facade.fs.mkdirSync('d')
  facade.fs.writeFileSync('d/own', 'own')
  return { ...facade, root }
}

function outcome(run: () => unknown): unknown {
  try {
    return String(run())
  } catch (error) {
    return codeOf(error)
  }
}

const READS: readonly (readonly [string, (facade: BareFacade) => unknown, expected: unknown])[] = [
  ['readFileSync', ({ fs }) => fs.readFileSync('d/secret'), 'ENOENT'],
  ['readFileSync as text', ({ fs }) => fs.readFileSync('d/secret', 'utf8'), 'ENOENT'],
  ['readFileSync, deeper', ({ fs }) => fs.readFileSync('d/deep/secret', 'utf8'), 'ENOENT'],
  ['openSync', ({ fs }) => fs.openSync('d/secret', 'r'), 'ENOENT'],
  ['statSync', ({ fs }) => fs.statSync('d/secret').size, 'ENOENT'],
  ['lstatSync', ({ fs }) => fs.lstatSync('d/deep').size, 'ENOENT'],
  ['existsSync', ({ fs }) => fs.existsSync('d/secret'), 'false'],
  ['readdirSync', ({ fs }) => fs.readdirSync('d'), 'own'],
  ['readdirSync with types', ({ fs }) => fs.readdirSync('d', { withFileTypes: true }).map(({ name }) => name), 'own'],
  ['readdirSync, deeper', ({ fs }) => fs.readdirSync('d/deep'), 'ENOENT'],
  ['globSync', ({ fs }) => fs.readdirSync('.', { recursive: true }).sort(), 'd,d/own'],
  ['copyFileSync', ({ fs }) => fs.copyFileSync('d/secret', 'copy'), 'ENOENT'],
  ['appendFileSync', ({ fs }) => [fs.appendFileSync('d/secret', '+'), fs.readFileSync('d/secret')][1], '+'],
  ['renameSync', ({ fs }) => fs.renameSync('d/secret', 'mine'), 'ENOENT'],
  ['linkSync', ({ fs }) => fs.linkSync('d/secret', 'mine'), 'ENOENT'],
  ['chmodSync', ({ fs }) => fs.chmodSync('d/secret', 0o777), 'ENOENT'],
  ['cpSync', ({ fs }) => [fs.cpSync('d', 'e', { recursive: true }), fs.readdirSync('e')][1], 'own'],
]

describe('a staged directory whose name on disk becomes a link out of the workspace', () => {
  it.each(READS)('shows nothing of the target to %s', (_, read, expected) => {
    const facade = stagedDirectory()
    symlinkSync('../outside', `${facade.root}/d`)
    expect(outcome(() => read(facade))).toBe(expected)
    rmSync(`${facade.root}/d`)
    mkdirSync(`${facade.root}/d`)
    writeFileSync(`${facade.root}/d/later`, 'later')
    expect(facade.fs.readdirSync('d')).toContain('later')
  })

  it.each(READS)('shows nothing of the target to %s, if the directory was copied up', (_, read, expected) => {
    const facade = stagedDirectory()
    mkdirSync(`${facade.root}/d`)
    facade.fs.chmodSync('d', 0o700)
    rmdirSync(`${facade.root}/d`)
    symlinkSync('../outside', `${facade.root}/d`)
    expect(outcome(() => read(facade))).toBe(expected)
  })

  it('shows nothing of the target in a directory that was renamed', () => {
    const facade = stagedDirectory()
    mkdirSync(`${facade.root}/old/sub`, { recursive: true })
    facade.fs.renameSync('old', 'new')
    facade.fs.chmodSync('new', 0o700)
    rmSync(`${facade.root}/old`, { recursive: true })
    symlinkSync('../outside', `${facade.root}/old`)
    expect(outcome(() => facade.fs.readFileSync('new/secret'))).toBe('ENOENT')
    expect(facade.fs.readdirSync('new')).toEqual([])
  })

  it('shows nothing of the target if a parent of the old name became a link', () => {
    const facade = stagedDirectory()
    mkdirSync(`${facade.root}/x/deep`, { recursive: true })
    facade.fs.renameSync('x/deep', 'new')
    rmSync(`${facade.root}/x`, { recursive: true })
    symlinkSync('../outside', `${facade.root}/x`)
    expect(outcome(() => facade.fs.readFileSync('new/secret'))).toBe('ENOENT')
    expect(outcome(() => facade.fs.statSync('new').isDirectory())).toBe('ENOENT')
  })

  it('shows a directory that was moved into one that the disk lacks', () => {
    const { fs, root } = stagedDirectory()
    mkdirSync(`${root}/old`)
    writeFileSync(`${root}/old/file`, 'text')
    fs.renameSync('old', 'd/new')
    expect(fs.readFileSync('d/new/file', 'utf8')).toBe('text')
    expect(fs.readdirSync('d/new')).toEqual(['file'])
    fs.appendFileSync('d/new/file', ' more')
    expect(fs.readFileSync('d/new/file', 'utf8')).toBe('text more')
  })

  it('lists its own entries if the link leads in a cycle', () => {
    const { fs, root } = stagedDirectory()
    symlinkSync('d', `${root}/d`)
    expect(fs.readdirSync('d')).toEqual(['own'])
    expect(fs.readdirSync('d', { withFileTypes: true }).map(({ name }) => name)).toEqual(['own'])
  })
})
