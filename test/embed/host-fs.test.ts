import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hostFs, type Session } from '../../src/index.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { failure, reasonOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

let project: TestWorkspace
let session: Session
/** A directory of the host, outside of the workspace. */
let home: string

beforeEach(async () => {
  const dir = tempDir()
  home = dir.path
  project = testWorkspace()
  session = await startSession(await project.open())
  onTestFinished(() => dir.dispose())
})

const inCall = <T>(run: () => T) => session.toolCall({ tool: 'edit', kind: 'edit' }, run)
const stagedPaths = async () => (await session.changes()).changes.map(({ path }) => path)

describe('outside of tool calls', () => {
  it('routes the workspace to the session, and every other path to the host', async () => {
    const api = hostFs(session)
    api.writeFileSync(`${project.root}/src/a.ts`, 'staged')
    await api.promises.writeFile(`${home}/log`, 'real')
    await new Promise((done) => api.appendFile(`${home}/log`, '!', done))
    expect(fs.readFileSync(`${home}/log`, 'utf8')).toBe('real!')
    expect([project.text('src/a.ts'), api.readFileSync(`${project.root}/src/a.ts`, 'utf8')]).toEqual([
      'a one\na two\n',
      'staged',
    ])
    expect(await reasonOf(() => api.writeFileSync(`${project.root}/mail/m.ts`, ''))).toBe('scope_violation')
    expect(await reasonOf(() => api.promises.rm(`${project.root}/.git`, { force: true }))).toBe('protected_path')
  })

  it('routes a path from elsewhere that leads into the workspace to the session, however it is spelled', async () => {
    const api = hostFs(session)
    fs.symlinkSync(`${project.root}/mail`, `${home}/in`)
    fs.symlinkSync(`${project.root}/mail/m.ts`, `${home}/file`)
    const up = `${home}/../${basename(project.root)}/mail/m.ts`
    const names = [`${home}/in/m.ts`, `${home}/file`, up, `${home}/absent/../in/m.ts`, `${project.root}//mail/m.ts`]
    const spellings = [...names, Buffer.from(`${home}/in/m.ts`), pathToFileURL(up)]
    for (const name of spellings) {
      const reasons = ['path_escape', 'scope_violation']
      expect(reasons).toContain(await reasonOf(() => api.writeFileSync(name, 'x')))
      expect(reasons).toContain(await reasonOf(() => api.promises.truncate(name)))
      expect(() => api.openSync(name, 'w')).toThrow()
    }
    api.unlinkSync(`${home}/file`)
    expect(fs.existsSync(`${home}/file`)).toBe(false)
    expect(project.text('mail/m.ts')).toBe('m\n')
  })

  it('copies a directory where no link leads to the workspace', () => {
    const api = hostFs(session)
    fs.mkdirSync(`${home}/from/in`, { recursive: true })
    fs.writeFileSync(`${home}/from/in/m.ts`, 'copied')
    fs.mkdirSync(`${home}/to/in`, { recursive: true })
    for (const to of ['to', 'absent']) {
      api.cpSync(`${home}/from`, `${home}/${to}`, { recursive: true })
      expect(fs.readFileSync(`${home}/${to}/in/m.ts`, 'utf8')).toBe('copied')
    }
  })

  it('does not remove, move or overwrite a directory that contains the workspace', async () => {
    const api = hostFs(session)
    const above = dirname(project.root)
    fs.mkdirSync(`${home}/${basename(project.root)}/src`, { recursive: true })
    fs.writeFileSync(`${home}/${basename(project.root)}/src/a.ts`, 'over')
    expect(await reasonOf(() => api.rmSync(above, { recursive: true }))).toBe('path_escape')
    expect(await reasonOf(() => api.promises.rm('/', { recursive: true, force: true }))).toBe('path_escape')
    expect(await reasonOf(() => api.renameSync(above, `${home}/gone`))).toBe('path_escape')
    api.cpSync(home, above, { recursive: true })
    expect(await stagedPaths()).toEqual(['src/a.ts'])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('recognizes the workspace under the name of another mount', () => {
    const [above, other] = [`${home}/mnt`, `${home}/mnt/other`]
    fs.mkdirSync(other, { recursive: true })
    const child = `${compileOnce()}/test/children/mounted.js`
    const script = 'mount --bind "$1" "$2" && exec "$3" "$4" "$1" "$2"'
    const args = ['-Urm', 'sh', '-c', script, 'sh', project.root, other, process.execPath, child]
    const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toEqual([
      'write: path_escape',
      'remove: path_escape',
      'rename: path_escape',
      'write beside: done',
    ])
    expect([project.text('src/a.ts'), fs.existsSync(`${above}/beside`)]).toEqual(['a one\na two\n', true])
  })

  it('routes a copy through links to the session, wherever it starts', async () => {
    const api = hostFs(session)
    fs.mkdirSync(`${home}/from/in`, { recursive: true })
    fs.writeFileSync(`${home}/from/in/m.ts`, 'over')
    fs.mkdirSync(`${home}/to`)
    fs.symlinkSync(`${project.root}/mail`, `${home}/to/in`)
    for (const dereference of [true, false])
      await failure(() => api.cpSync(`${home}/from`, `${home}/to`, { recursive: true, dereference }))
    expect(project.text('mail/m.ts')).toBe('m\n')
  })

  it('lets the session judge both ends of a copy, a rename or a link across the border', async () => {
    const api = hostFs(session)
    fs.writeFileSync(`${home}/x`, 'x')
    api.copyFileSync(`${home}/x`, `${project.root}/src/x.ts`)
    expect(api.readFileSync(`${project.root}/src/x.ts`, 'utf8')).toBe('x')
    expect(await reasonOf(() => api.copyFileSync(`${project.root}/src/a.ts`, `${home}/out`))).toBe('path_escape')
    expect(await reasonOf(() => api.linkSync(`${project.root}/src/a.ts`, `${home}/out`))).toBe('path_escape')
    expect(fs.existsSync(`${home}/out`)).toBe(false)
    expect(fs.existsSync(`${project.root}/src/x.ts`)).toBe(false)
  })

  it("resolves relative paths from the process's working directory", async () => {
    const api = hostFs(session)
    const from = process.cwd()
    onTestFinished(() => process.chdir(from))
    process.chdir(home)
    api.writeFileSync('here', 'real')
    expect(fs.readFileSync(`${home}/here`, 'utf8')).toBe('real')
    process.chdir(project.root)
    api.writeFileSync(`../${basename(home)}/up`, 'real')
    api.writeFileSync(`src/../../${basename(home)}/over`, 'real')
    expect(fs.readdirSync(home).sort()).toEqual(['here', 'over', 'up'])
    process.chdir(`${project.root}/src`)
    api.writeFileSync('b.ts', 'staged')
    api.writeFileSync(Buffer.from('n.ts'), 'staged')
    expect(await stagedPaths()).toEqual(['src/b.ts', 'src/n.ts'])
    expect(project.text('src/b.ts')).toBe('b\n')
  })
})

describe('in a tool call', () => {
  it('judges paths outside by policy: readable, never writable', async () => {
    fs.writeFileSync(`${home}/x`, 'x')
    project.write('.orchestration/policy.yaml', `outside: {${home}/shut: deny}\n`)
    fs.mkdirSync(`${home}/shut`)
    fs.writeFileSync(`${home}/shut/y`, 'y')
    const api = hostFs(session)
    expect(api.readFileSync(`${home}/shut/y`, 'utf8')).toBe('y')
    await inCall(async () => {
      expect(api.readFileSync(`${home}/x`, 'utf8')).toBe('x')
      expect(await reasonOf(() => api.readFileSync(`${home}/shut/y`))).toBe('access_denied')
      expect(await reasonOf(() => api.promises.writeFile(`${home}/x`, 'z'))).toBe('path_escape')
      expect(
        await reasonOf(
          () => api.createWriteStream(`${home}/z`).on('error', () => {}) && api.writeFileSync(`${home}/z`, ''),
        ),
      ).toBe('path_escape')
    })
    expect([fs.readFileSync(`${home}/x`, 'utf8'), fs.existsSync(`${home}/z`)]).toEqual(['x', false])
  })

  it('leaves the host its named directories, except in the workspace', async () => {
    const api = hostFs(session, { hostDirectories: [`${home}/storage`, project.root] })
    fs.mkdirSync(`${home}/storage`)
    fs.symlinkSync(home, `${home}/storage/up`)
    await inCall(async () => {
      await api.promises.writeFile(`${home}/storage/history.json`, '[]')
      expect(await reasonOf(() => api.writeFileSync(`${home}/storage/../x`, ''))).toBe('path_escape')
      expect(await reasonOf(() => api.writeFileSync(`${home}/storage/up/x`, ''))).toBe('path_escape')
      expect(await reasonOf(() => api.writeFileSync(`${project.root}/mail/m.ts`, ''))).toBe('scope_violation')
    })
    expect(fs.readFileSync(`${home}/storage/history.json`, 'utf8')).toBe('[]')
    expect(fs.existsSync(`${home}/x`)).toBe(false)
  })

  it("keeps the process's own open descriptors working", async () => {
    const api = hostFs(session)
    const fd = api.openSync(`${home}/log`, 'w')
    await inCall(() => api.writeSync(fd, 'line'))
    api.closeSync(fd)
    expect(fs.readFileSync(`${home}/log`, 'utf8')).toBe('line')
  })
})

describe('each form', () => {
  it('takes the same route: descriptors, handles, streams, variants and classes', async () => {
    const api = hostFs(session)
    const inner = `${project.root}/src/a.ts`
    const outer = `${home}/o`
    fs.writeFileSync(outer, 'outer')
    for (const [name, text] of [
      [inner, 'a one\na two\n'],
      [outer, 'outer'],
    ] as const) {
      const handle = await api.promises.open(name, 'r+')
      expect(await api.promises.readFile(handle, 'utf8')).toBe(text)
      await handle.close()
      const fd = api.openSync(name, 'r+')
      expect(api.readFileSync(fd, 'utf8')).toBe(text)
      const { bytesRead } = await promisify(api.read)(fd, Buffer.alloc(3), 0, 3, 0)
      expect(bytesRead).toBe(3)
      api.writeSync(fd, 'W', 0)
      api.closeSync(fd)
      const read = [new api.ReadStream(name as never), api.createReadStream(name)]
      for (const stream of read) {
        expect(stream).toBeInstanceOf(fs.ReadStream)
        expect(stream).toBeInstanceOf(api.ReadStream)
        expect(String(await stream.toArray()).startsWith('W')).toBe(true)
      }
      expect(api.realpathSync.native(name)).toBe(name)
      expect(await promisify(api.exists)(name)).toBe(true)
    }
    expect(fs.readFileSync(outer, 'utf8')).toBe('Wuter')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it("has every name that the host's fs has, and is extensible and writable for graceful-fs", () => {
    const api = hostFs(session)
    expect(Object.keys(api).sort()).toEqual(Object.keys(fs).sort())
    expect(Object.keys(api.promises).sort()).toEqual(Object.keys(fs.promises).sort())
    const copy = { ...api }
    copy.readFileSync = (() => 'patched') as never
    expect(copy.readFileSync('x')).toBe('patched')
    expect(Object.getOwnPropertyDescriptor(api, 'readFile')).toMatchObject({ writable: true })
  })

  it('of an unknown function is refused', () => {
    Object.defineProperty(fs, 'imprintSync', { value: () => 'ran', configurable: true, enumerable: true })
    onTestFinished(() => void Reflect.deleteProperty(fs, 'imprintSync'))
    const imprint: unknown = Reflect.get(hostFs(session), 'imprintSync')
    expect(() => Reflect.apply(imprint as () => void, undefined, [home])).toThrow()
  })
})

describe('host reads outside of tool calls', () => {
  it.each([
    { readsAreShown: true, second: 'stale_file' },
    { readsAreShown: false, second: undefined },
  ])('count as shown to the model: $readsAreShown', async ({ readsAreShown, second }) => {
    const api = hostFs(session, { readsAreShown })
    const name = `${project.root}/src/a.ts`
    const fd = api.openSync(name, 'r')
    for (const read of [() => api.readFileSync(name), () => api.readFileSync(fd), () => api.promises.readFile(name)])
      await read()
    await api.createReadStream(name).toArray()
    api.closeSync(fd)
    project.write('src/a.ts', 'by a person\n')
    const written = inCall(() => api.writeFileSync(name, 'x')).then(
      () => undefined,
      ({ reason }: { reason: string }) => reason,
    )
    expect(await written).toBe(second)
  })

  it('are not tool calls and have no record', async () => {
    const api = hostFs(session, { readsAreShown: false, host: 'roo' })
    api.mkdirSync(`${project.root}/src/made`)
    api.writeFileSync(`${project.root}/src/made/x`, 'x')
    expect((await session.changes()).changes.every(({ calls = [] }) => calls.length === 0)).toBe(true)
  })

  it('reports a refused mkdir as success for Roo, and creates nothing', async () => {
    const api = hostFs(session, { host: 'roo' })
    for (const path of ['.git', '.orchestration/x', '../beyond'])
      await inCall(() => api.promises.mkdir(`${project.root}/${path}`))
    api.mkdirSync(`${project.root}/.git`)
    expect(await stagedPaths()).toEqual([])
    expect(fs.existsSync(`${dirname(project.root)}/beyond`)).toBe(false)
    expect(await reasonOf(() => hostFs(session).mkdirSync(`${project.root}/.git`))).toBe('protected_path')
  })
})

describe('a session', () => {
  it('is evaluated again by each call, and without one the call fails', async () => {
    let now: Session | undefined = session
    const api = hostFs(() => now ?? expect.unreachable('no session'))
    api.writeFileSync(`${project.root}/src/b.ts`, 'one')
    now = undefined
    await expect(api.promises.writeFile(`${project.root}/src/b.ts`, 'two')).rejects.toThrow('no session')
    expect(() => api.writeFileSync(`${home}/x`, '')).toThrow('no session')
    expect(project.text('src/b.ts')).toBe('b\n')
  })

  it('that is closed lets no call through to the workspace', async () => {
    const api = hostFs(session)
    await session.close()
    expect((await failure(() => api.writeFileSync(`${project.root}/src/a.ts`, ''))).reason).toBe('access_denied')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })
})
