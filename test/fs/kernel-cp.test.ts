import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Access, Decision } from '../../src/core/decision.js'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

let outer: ReturnType<typeof tempDir>
let real: string
let root: string
let facade: BareFacade

function seed(at: string): void {
  fs.mkdirSync(`${at}/src/deep`, { recursive: true })
  fs.writeFileSync(`${at}/src/one`, 'one', { mode: 0o640 })
  fs.writeFileSync(`${at}/src/deep/two`, 'two')
  fs.symlinkSync('one', `${at}/src/link`)
  fs.symlinkSync('deep', `${at}/src/dirLink`)
  fs.mkdirSync(`${at}/full`)
  fs.mkdirSync(`${at}/bare`)
  fs.writeFileSync(`${at}/full/one`, 'old')
  fs.writeFileSync(`${at}/file`, 'file')
  fs.utimesSync(`${at}/src/one`, 1000, 2000)
}

beforeEach(() => {
  outer = tempDir()
  real = `${outer.path}/real`
  root = `${outer.path}/copy`
  seed(real)
  seed(root)
  facade = createBareFacade(root)
})
afterEach(() => outer.dispose())

type Form = 'sync' | 'callback' | 'promise'
const FORMS: Form[] = ['sync', 'callback', 'promise']

function copy(api: typeof fs, form: Form, from: string, to: string, options: object | undefined): Promise<void> {
  const copyOptions = options as fs.CopyOptions
  if (form === 'promise') return api.promises.cp(from, to, copyOptions)
  if (form === 'callback')
    return new Promise((resolve, reject) =>
      api.cp(from, to, copyOptions, (error) => (error ? reject(error) : resolve())),
    )
  return new Promise((resolve) => resolve(Reflect.apply(api.cpSync, api, [from, to, options])))
}

/** The result of a copy: the error's code, and the tree. */
async function outcome(api: typeof fs, at: string, ...[form, from, to, options]: [Form, string, string, object?]) {
  const { code } = await copy(api, form, `${at}/${from}`, `${at}/${to}`, options).then(
    () => ({ code: undefined }),
    (error: NodeJS.ErrnoException) => ({ code: error.code }),
  )
  return { code, tree: treeOf(api, at).map((row) => row.replaceAll(at, '<root>')) }
}

const CASES: [string, string, object?][] = [
  ['file', 'new'],
  ['file', 'not/there/yet'],
  ['src', 'new'],
  ['src', 'new', { recursive: true }],
  ['src', 'new', { recursive: true, verbatimSymlinks: true }],
  ['src', 'new', { recursive: true, dereference: true }],
  ['src', 'full', { recursive: true }],
  ['src', 'full', { recursive: true, force: false }],
  ['src', 'bare', { recursive: true, force: false, errorOnExist: true }],
  ['src/one', 'full/one', { force: false, errorOnExist: true }],
  ['src/one', 'full/one', { mode: 1 }],
  ['src/one', 'full/one', { preserveTimestamps: true }],
  ['src', 'src/deep/more', { recursive: true }],
  ['src', 'src', { recursive: true }],
  ['src', 'file', { recursive: true }],
  ['file', 'src'],
  ['file', 'file'],
  ['src/link', 'src/dirLink'],
  ['src/link', 'file'],
  ['src/dirLink', 'src/link', { dereference: true }],
  ['src', 'new', { recursive: true, filter: (from: string) => !from.endsWith('deep') }],
]

/** From Node 22 on the sync form is in C++, and differs from the others; the facade's forms are the same. */
const SYNC_IS_APART = Number(process.versions.node.split('.')[0]) >= 22

describe.each(FORMS)('cp, %s', (form) => {
  it.each(CASES)("from %s to %s with %o has Node's result", async (from, to, options) => {
    const hostForm = SYNC_IS_APART && form === 'sync' ? 'promise' : form
    const wanted = await outcome(fs, real, hostForm, from, to, options)
    expect(await outcome(facade.fs, root, form, from, to, options)).toEqual(wanted)
  })

  it.each([5, null, { dereference: 1 }, { mode: 9 }, { filter: 1 }, { dereference: true, verbatimSymlinks: true }])(
    'refuses the options %o',
    async (options) => {
      const wanted = await copyError(fs, form, options)
      expect(wanted?.code).toMatch(/^ERR_/)
      expect(await copyError(facade.fs, form, options)).toEqual(wanted)
    },
  )

  it.each(['self/new', 'self/not/there/yet', 'src/dirLink/not/there'])(
    'into itself, as %s, is an error',
    async (to) => {
      fs.symlinkSync('src', `${root}/self`)
      const failed = copy(facade.fs, form, `${root}/src`, `${root}/${to}`, { recursive: true })
      await expect(failed).rejects.toMatchObject({ code: 'ERR_FS_CP_EINVAL' })
      expect(facade.overlay.stage.tree.empty).toBe(true)
    },
  )

  it('leaves the disk unchanged', async () => {
    const before = treeOf(fs, root)
    await copy(facade.fs, form, `${root}/src`, `${root}/full`, { recursive: true, preserveTimestamps: true })
    expect(treeOf(fs, root)).toEqual(before)
    expect(facade.fs.statSync(`${root}/full/one`).mtimeMs).toBe(2_000_000)
  })

  it('stages nothing when everything is denied', async () => {
    const denied = createBareFacade(
      root,
      denying(() => true),
    )
    const options = { recursive: true }
    await expect(copy(denied.fs, form, `${root}/src`, `${root}/new`, options)).rejects.toMatchObject({ code: 'EACCES' })
    await expect(copy(denied.fs, form, `${root}/file`, `${root}/new`, options)).rejects.toMatchObject({
      code: 'EACCES',
    })
    expect(denied.overlay.stage.tree.empty).toBe(true)
  })

  it('is denied for the one entry out of scope, by its own call and name', async () => {
    const denied = createBareFacade(
      root,
      denying((path) => path.endsWith('deep/two')),
    )
    await expect(copy(denied.fs, form, `${root}/src`, `${root}/new`, { recursive: true })).rejects.toMatchObject({
      code: 'EACCES',
      syscall: 'copyfile',
      path: `${root}/src/deep/two`,
      dest: `${root}/new/deep/two`,
    })
    expect(denied.fs.existsSync(`${root}/new/deep/two`)).toBe(false)
    expect(denied.denied).toHaveLength(1)
  })
})

async function copyError(api: typeof fs, form: Form, options: object | number | null) {
  try {
    await copy(api, form, `${root}/file`, `${root}/new`, options as object)
    return undefined
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException
    return { name, code, message }
  }
}

const denying =
  (denies: (path: string) => boolean) =>
  (access: Access): Decision =>
    access.effect !== 'read' && denies(access.path)
      ? { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
      : { verdict: 'stage' }

describe('the errors of cp', () => {
  it('are SystemErrors with the exact text of the host’s promise form', async () => {
    const look = async (api: typeof fs, at: string) => {
      const error: unknown = await api.promises.cp(`${at}/file`, `${at}/src`).catch((each: unknown) => each)
      const { name, message, ...rest } = error as NodeJS.ErrnoException
      return JSON.parse(JSON.stringify([name, message, rest]).replaceAll(at, '<root>')) as unknown
    }
    expect(await look(facade.fs, root)).toEqual(await look(fs, real))
  })

  it('of inner calls name those calls', async () => {
    const path = `${root}/none`
    const message = `ENOENT: no such file or directory, lstat '${path}'`
    expect(() => facade.fs.cpSync(path, `${root}/new`)).toThrow(message)
    await expect(facade.fs.promises.cp(path, `${root}/new`)).rejects.toThrow(message)
  })
})

describe('cp’s filter', () => {
  it('is awaited in the promise form, and may use the facade itself', async () => {
    const visited: string[] = []
    const filter = async (from: string) => {
      visited.push((await facade.fs.promises.realpath(from)).slice(root.length))
      return !from.endsWith('deep')
    }
    await facade.fs.promises.cp(`${root}/src`, `${root}/new`, { recursive: true, filter })
    expect(visited.sort()).toEqual(['/src', '/src/deep', '/src/deep', '/src/one', '/src/one'])
    expect(facade.fs.readdirSync(`${root}/new`)).toEqual(['dirLink', 'link', 'one'])
  })

  it('must be synchronous in the sync form', () => {
    const call = () =>
      Reflect.apply(facade.fs.cpSync, facade.fs, [`${root}/file`, `${root}/new`, { filter: async () => true }])
    expect(call).toThrow(expect.objectContaining({ code: 'ERR_INVALID_RETURN_VALUE' }))
    expect(facade.overlay.stage.tree.empty).toBe(true)
  })

  it('that throws ends the copy with that error', async () => {
    const own = new Error('enough')
    const filter = () => {
      throw own
    }
    expect(() => facade.fs.cpSync(`${root}/file`, `${root}/new`, { filter })).toThrow(own)
    await expect(facade.fs.promises.cp(`${root}/file`, `${root}/new`, { filter })).rejects.toBe(own)
  })
})

describe('cp and the rest of the disk', () => {
  it('copies into the workspace, and never out of it', () => {
    facade.fs.cpSync(`${real}/src`, `${root}/in`, { recursive: true })
    expect(facade.fs.readFileSync(`${root}/in/deep/two`, 'utf8')).toBe('two')
    expect(() => facade.fs.cpSync(`${root}/file`, `${real}/out`)).toThrow()
    expect(fs.existsSync(`${real}/out`)).toBe(false)
  })

  it('does not copy a directory above the workspace into it, under any name', () => {
    fs.symlinkSync(outer.path, `${outer.path}/around`)
    const options = { recursive: true, dereference: true }
    const call = () => facade.fs.cpSync(`${outer.path}/around`, `${root}/new`, options)
    expect(call).toThrow(expect.objectContaining({ code: 'ERR_FS_CP_EINVAL' }))
    expect(facade.overlay.stage.tree.empty).toBe(true)
  })

  it('yields to other work while a large tree is copied', async () => {
    fs.mkdirSync(`${root}/many`)
    for (let i = 0; i < 400; i++) fs.writeFileSync(`${root}/many/${i}`, 'x')
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await facade.fs.promises.cp(`${root}/many`, `${root}/more`, { recursive: true })
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(0)
    expect(facade.fs.readdirSync(`${root}/more`)).toHaveLength(400)
  })
})
