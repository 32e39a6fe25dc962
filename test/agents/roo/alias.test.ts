import { once } from 'node:events'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Alias, type AliasOptions, aliasModules } from '../../../src/agents/roo/index.js'
import type { Session } from '../../../src/index.js'
import { tempDir } from '../../support/facade.js'
import { reasonOf, startSession, type TestWorkspace, testWorkspace } from '../../support/workspace.js'

/** The exports of a host's module: each `fs` that it got, and the module that it depends on. */
interface Host {
  readonly given: readonly (typeof fs)[]
  readonly promises: readonly (typeof fs.promises)[]
  readonly library: typeof fs
  lazy(): typeof fs
}

const BUNDLE = `exports.given = [require('fs'), require('node:fs'), module.require('fs')]
exports.promises = [require('fs/promises'), require('node:fs/promises')]
exports.library = require('library')
exports.lazy = () => require('fs')`

let project: TestWorkspace
let session: Session
let home: string
const require = createRequire(import.meta.url)

beforeEach(async () => {
  const dir = tempDir()
  home = dir.path
  project = testWorkspace()
  session = await startSession(await project.open())
  fs.mkdirSync(`${home}/host/node_modules/library`, { recursive: true })
  fs.writeFileSync(`${home}/host/bundle.cjs`, BUNDLE)
  fs.writeFileSync(`${home}/host/node_modules/library/index.js`, `module.exports = require('fs')`)
  fs.writeFileSync(`${home}/other.cjs`, BUNDLE.replace(`require('library')`, 'undefined'))
  onTestFinished(() => dir.dispose())
})

let alias: Alias | undefined
afterEach(() => alias?.uninstall())

function install(options: Partial<AliasOptions> = {}): Alias {
  alias = aliasModules(session, { modules: [`${home}/host`], ...options })
  return alias
}

const load = (file: string): Host => require(`${home}/${file}`)

describe('aliased modules', () => {
  it('get the governed fs by all four names, including dependencies and late requires', () => {
    const { fs: governed } = install()
    const host = load('host/bundle.cjs')
    for (const each of [...host.given, host.library, host.lazy()]) expect(each).toBe(governed)
    for (const each of host.promises) expect(each).toBe(governed.promises)
    host.library.writeFileSync(`${project.root}/src/a.ts`, 'staged')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('do not include others', () => {
    install()
    for (const each of load('other.cjs').given) expect(each).toBe(fs)
    expect(require('node:fs')).toBe(fs)
  })

  it('can be one file, and can be named through a link', () => {
    fs.symlinkSync(`${home}/other.cjs`, `${home}/link.cjs`)
    const { fs: governed } = install({ modules: [`${home}/link.cjs`] })
    expect(load('link.cjs').given[0]).toBe(governed)
    expect(load('host/bundle.cjs').given[0]).toBe(fs)
  })

  it("do not include a path that only starts with a governed directory's name", () => {
    fs.writeFileSync(`${home}/hosting.cjs`, BUNDLE.replace(`require('library')`, 'undefined'))
    install()
    expect(load('hosting.cjs').given[0]).toBe(fs)
  })

  it('get the same refusals in the workspace as the session', async () => {
    install()
    const { given, promises } = load('host/bundle.cjs')
    expect(await reasonOf(() => given[0]?.writeFileSync(`${project.root}/mail/m.ts`, ''))).toBe('scope_violation')
    expect(await reasonOf(() => promises[0]?.rm(`${project.root}/.git`, { force: true }))).toBe('protected_path')
    given[0]?.writeFileSync(`${home}/log`, 'the host’s own')
    expect(fs.readFileSync(`${home}/log`, 'utf8')).toBe('the host’s own')
  })
})

describe('dependencies with their own copy of fs', () => {
  it('graceful-fs and proper-lockfile use the governed one: staged inside, real outside', async () => {
    for (const name of ['graceful-fs', 'proper-lockfile', 'retry', 'signal-exit']) {
      const from = dirname(require.resolve(`${name}/package.json`))
      fs.cpSync(from, `${home}/host/node_modules/${name}`, { recursive: true })
    }
    fs.writeFileSync(
      `${home}/host/deep.cjs`,
      `exports.fs = require('graceful-fs'); exports.lock = require('proper-lockfile')`,
    )
    install()
    const deep: { fs: typeof fs; lock: typeof import('proper-lockfile') } = require(`${home}/host/deep.cjs`)
    const [inside, outside] = [`${project.root}/src/a.ts`, `${home}/file`]
    for (const name of [inside, outside]) {
      deep.fs.writeFileSync(name, 'one ')
      await new Promise((done) => deep.fs.appendFile(name, 'two ', done))
      const stream = deep.fs.createWriteStream(name, { flags: 'a' })
      await new Promise((done) => stream.end('three', () => stream.once('close', done)))
      expect(await deep.fs.promises.readFile(name, 'utf8')).toBe('one two three')
      expect(String(await deep.fs.createReadStream(name).toArray())).toBe('one two three')
    }
    expect([project.text('src/a.ts'), fs.readFileSync(outside, 'utf8')]).toEqual(['a one\na two\n', 'one two three'])
    const release = await deep.lock.lock(outside)
    expect(fs.existsSync(`${outside}.lock`)).toBe(true)
    await release()
    expect(await reasonOf(() => deep.fs.writeFileSync(`${project.root}/mail/m.ts`, ''))).toBe('scope_violation')
  })
})

describe('programs', () => {
  const SEARCH = `exports.given = [require('child_process'), require('node:child_process')]
    exports.list = (program, dir) => exports.given[0].spawn(program, ['--files', dir])`

  it("are the host's own if configured so", async () => {
    fs.writeFileSync(`${home}/host/search.cjs`, SEARCH)
    install({ programs: false })
    for (const each of require(`${home}/host/search.cjs`).given) expect(each).toBe(require('node:child_process'))
  })

  it('are governed by both names for the named modules only: a search sees staged files', async () => {
    fs.writeFileSync(`${home}/host/search.cjs`, SEARCH)
    fs.writeFileSync(`${home}/search.cjs`, SEARCH)
    project.write('tools/rg', '#!/bin/sh\nfor last; do :; done\nls "$last"\n')
    fs.chmodSync(`${project.root}/tools/rg`, 0o755)
    install({ shell: { path: '/bin/echo' } })
    const host = require(`${home}/host/search.cjs`)
    const real = require('node:child_process')
    expect(host.given[0]).toBe(host.given[1])
    expect(host.given[0]).not.toBe(real)
    for (const each of require(`${home}/search.cjs`).given) expect(each).toBe(real)
    session.fs.writeFileSync('src/staged.ts', '')
    const { stdout } = host.list(`${project.root}/tools/rg`, `${project.root}/src`)
    expect(await text(stdout)).toBe('a.ts\nb.ts\nstaged.ts\nsub\n')
    await session.toolCall({ tool: 'search_files', kind: 'other' }, async () => {
      expect(await once(host.list('find', project.root), 'close')).toEqual([126, null])
      expect(await text(host.given[0].spawn('ls', [], { shell: '/bin/echo' }).stdout)).toBe('-c ls\n')
    })
  })
})

describe('modules of escrowfs', () => {
  it('keep the real fs, even if everything is governed', async () => {
    install({ modules: ['/'] })
    const { src } = { src: createRequire(new URL('../../../src/index.ts', import.meta.url)) }
    expect(src('fs')).toBe(fs)
    const library = createRequire(src.resolve('graceful-fs'))
    expect(library('fs')).toBe(fs)
    await session.snapshot()
    session.fs.writeFileSync('src/a.ts', 'still works')
    await session.flush()
  })

  it('a library loaded before is loaded again for the host, and stays the same for its other users', () => {
    const early = load('host/bundle.cjs')
    expect(early.library).toBe(fs)
    const { loadedBefore, fs: governed } = install()
    expect(loadedBefore.map((file) => file.slice(home.length)).sort()).toEqual([
      '/host/bundle.cjs',
      '/host/node_modules/library/index.js',
    ])
    expect(load('host/bundle.cjs').library).toBe(governed)
    expect(early.lazy()).toBe(fs)
  })
})

describe('uninstall', () => {
  it('gives later modules the real fs, and leaves loaded ones governed', () => {
    const { uninstall, fs: governed } = install()
    const host = load('host/bundle.cjs')
    uninstall()
    expect(host.given[0]).toBe(governed)
    expect(host.lazy()).toBe(fs)
    expect(load('other.cjs').given[0]).toBe(fs)
    uninstall()
  })

  it('does not remove a later hook of Module._load', () => {
    const { uninstall } = install()
    const Module = require('node:module')
    const ours: unknown = Module._load
    let seen = 0
    const otherRequire = (...args: unknown[]) => {
      seen++
      return Reflect.apply(ours as () => unknown, Module, args)
    }
    Module._load = otherRequire
    onTestFinished(() => {
      Module._load = ours
    })
    uninstall()
    expect(Module._load).toBe(otherRequire)
    expect(load('host/bundle.cjs').given[0]).toBe(fs)
    expect(seen).toBeGreaterThan(0)
  })
})

describe('the installation fails', () => {
  it('without a named module', () => {
    expect(() => install({ modules: [] })).toThrow(expect.objectContaining({ reason: 'unsupported' }))
    expect(load('host/bundle.cjs').given[0]).toBe(fs)
  })

  it('if this version of Node loads modules in another way', () => {
    const Module = require('node:module')
    const originalRequire = Module.prototype.require
    Module.prototype.require = () => fs
    onTestFinished(() => {
      Module.prototype.require = originalRequire
    })
    expect(() => install()).toThrow(expect.objectContaining({ reason: 'unsupported' }))
  })
})
