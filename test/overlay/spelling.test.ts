import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  asRelPath,
  childOf,
  diffStage,
  foldName,
  foldsNames,
  Overlay,
  openLower,
  type RelPath,
  Resolver,
  ROOT,
  Stage,
  spellingOf,
} from '../../overlay/index.js'
import type { Lower } from '../../overlay/lower.js'
import type { Access } from '../../src/core/decision.js'
import { createFacade } from '../../src/fs/facade.js'
import { GuardedLayer } from '../../src/fs/guarded.js'
import { View } from '../../src/fs/view.js'
import { guardRulesFor, tempDir } from '../support/facade.js'

/** A disk that treats names which differ only in case or Unicode form as one, as APFS and NTFS usually do. */

/** A directory of this disk that behaves like such a disk: every name leads to the entry that differs only in case. */
function foldingLower(root: string): Lower {
  const real = openLower(root)
  const ownPath = (path: RelPath): RelPath => {
    let at = ROOT
    for (const segment of path === ROOT ? [] : path.split('/')) {
      const names = real.typeOf(at) === 'dir' ? real.names(at) : []
      at = childOf(at, names.find((name) => foldName(name) === foldName(segment)) ?? segment)
    }
    return at
  }
  return {
    ...real,
    hostPath: (path) => real.hostPath(ownPath(path)),
    name: (path) => real.name(ownPath(path)),
    typeOf: (path) => real.typeOf(ownPath(path)),
    lstat: (path) => real.lstat(ownPath(path)),
    lstatBig: (path) => real.lstatBig(ownPath(path)),
    read: (path) => real.read(ownPath(path)),
    readdir: (path) => real.readdir(ownPath(path)),
    names: (path) => real.names(ownPath(path)),
    exists: (path) => real.exists(ownPath(path)),
    readlink: (path) => real.readlink(ownPath(path)),
  }
}

let dir: ReturnType<typeof tempDir>
let judged: Access[]
let overlay: Overlay
let api: typeof fs

beforeEach(() => {
  dir = tempDir()
  fs.mkdirSync(`${dir.path}/src/Auth`, { recursive: true })
  fs.writeFileSync(`${dir.path}/src/a.ts`, 'disk')
  fs.writeFileSync(`${dir.path}/src/Auth/Login.ts`, 'login')
  fs.writeFileSync(`${dir.path}/src/caf\u00e9.ts`, 'coffee')
  judged = []
  overlay = new Overlay({ lower: foldingLower(dir.path), stage: new Stage() })
  const resolver = new Resolver(overlay, [], spellingOf(overlay.stage, overlay.lower))
  const rules = guardRulesFor((access) => {
    judged.push(access)
    return { verdict: access.effect === 'read' ? 'allow' : 'stage' }
  })
  const layer = new GuardedLayer(overlay, rules, (target, link) => resolver.leadsTo(target, link))
  const nothing = () => undefined
  const deps = {
    root: dir.path,
    resolver,
    overlay,
    layer,
    seen: nothing,
    opened: nothing,
    sync: nothing,
    seenStaged: nothing,
  }
  api = createFacade({ view: new View(deps), denied: nothing })
})
afterEach(() => dir.dispose())

const at = (name: string) => `${dir.path}/${name}`
const stagedChanges = () => diffStage(overlay).changes.map(({ path, kind }) => [path, kind])

describe('a name in another spelling', () => {
  it.each(['SRC/A.TS', 'Src/a.ts', './src/./A.ts', 'src/auth/../A.ts'])('%s is the file of the disk', (name) => {
    expect(api.readFileSync(at(name), 'utf8')).toBe('disk')
    api.writeFileSync(at(name), 'mine')
    expect(stagedChanges()).toEqual([['src/a.ts', 'modify']])
    expect(api.readFileSync(at('src/a.ts'), 'utf8')).toBe('mine')
    expect(api.readFileSync(at('sRC/a.tS'), 'utf8')).toBe('mine')
    expect(api.readdirSync(at('SRC')).sort()).toEqual(['Auth', 'a.ts', 'caf\u00e9.ts'])
  })

  it('is judged as the file on disk, by one name', () => {
    api.writeFileSync(at('SRC/AUTH/login.TS'), 'mine')
    api.rmSync(at('SRC/A.ts'))
    const writes = judged.filter(({ effect }) => effect !== 'read')
    expect(new Set(writes.flatMap(({ path, asked }) => [path, asked]))).toEqual(
      new Set(['src/Auth/Login.ts', 'src/a.ts']),
    )
  })

  it('in the other Unicode form is the same file', () => {
    api.appendFileSync(at('src/cafe\u0301.ts'), '!')
    expect(stagedChanges()).toEqual([['src/caf\u00e9.ts', 'modify']])
    expect(api.readFileSync(at('src/caf\u00e9.ts'), 'utf8')).toBe('coffee!')
  })

  it('of a staged entry leads there: files, directories, and their entries', () => {
    api.mkdirSync(at('src/New'))
    api.writeFileSync(at('src/NEW/Thing.ts'), 'one')
    api.writeFileSync(at('SRC/new/thing.TS'), 'two')
    expect(() => api.mkdirSync(at('src/nEW'))).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    expect(() => api.writeFileSync(at('src/A.ts'), 'x', { flag: 'wx' })).toThrow(
      expect.objectContaining({ code: 'EEXIST' }),
    )
    expect(stagedChanges()).toEqual([['src/New/Thing.ts', 'create']])
    expect(api.readFileSync(at('src/New/Thing.ts'), 'utf8')).toBe('two')
  })

  it('removed is removed in every spelling, and created again is one file', () => {
    api.unlinkSync(at('src/A.TS'))
    for (const name of ['src/a.ts', 'src/A.ts', 'SRC/A.TS']) expect(api.existsSync(at(name))).toBe(false)
    api.writeFileSync(at('src/A.ts'), 'new')
    expect(api.readFileSync(at('src/a.ts'), 'utf8')).toBe('new')
    expect(stagedChanges()).toEqual([['src/a.ts', 'modify']])
  })

  it('of a directory that moved leads to it', () => {
    api.renameSync(at('SRC/auth'), at('src/Session'))
    expect(api.existsSync(at('src/AUTH/Login.ts'))).toBe(false)
    expect(api.readFileSync(at('src/session/LOGIN.ts'), 'utf8')).toBe('login')
    expect(api.readdirSync(at('src/SESSION'))).toEqual(['Login.ts'])
  })

  it('is followed through links, and a link keeps its own name', () => {
    api.symlinkSync('AUTH', at('src/Link'))
    api.writeFileSync(at('SRC/link/login.ts'), 'mine')
    expect(stagedChanges().sort()).toEqual([
      ['src/Auth/Login.ts', 'modify'],
      ['src/Link', 'link'],
    ])
    expect(judged.filter(({ effect }) => effect === 'put').map(({ path }) => path)).toContain('src/Auth/Login.ts')
  })
})

it('a probe finds whether a disk ignores case', () => {
  const name = tempDir('escrowfs-Fold-')
  try {
    const other = fs.existsSync(name.path.replace('Fold', 'FOLD'))
    expect(foldsNames(name.path)).toBe(other)
    expect(foldsNames(asRelPath('absent'))).toBe(false)
  } finally {
    name.dispose()
  }
})
