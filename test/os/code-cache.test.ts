import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatCode, readCode } from '../../src/os/code-file.js'
import { keepCode } from '../../src/os/keep-code.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'

function newDir(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

const anyCode = fc.dictionary(fc.string({ minLength: 1 }), fc.uint8Array({ maxLength: 50 }))

describe('a file of compiled code', () => {
  it('returns what was written', () => {
    const file = join(newDir(), 'code')
    fc.assert(
      fc.property(anyCode, (code) => {
        writeFileSync(file, formatCode(new Map(Object.entries(code))))
        const read = [...readCode(file)].map(([name, bytes]) => [name, [...bytes]])
        expect(read).toEqual(Object.entries(code).map(([name, bytes]) => [name, [...bytes]]))
      }),
    )
  })

  it('returns nothing if a byte has changed or the end is missing', () => {
    const file = join(newDir(), 'code')
    const whole = formatCode(new Map([['a.js', Buffer.from('code of a')]]))
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(whole)
        damaged.writeUInt8(damaged.readUInt8(at) ^ change, at)
        writeFileSync(file, damaged)
        expect(readCode(file).size).toBe(0)
        writeFileSync(file, whole.subarray(0, at))
        expect(readCode(file).size).toBe(0)
      }),
    )
  })

  it('is readable only by its owner, and the oldest of many are removed', () => {
    const dir = join(newDir(), 'compiled')
    const names = Array.from({ length: 14 }, (_, n) => `code-${n}`)
    for (const [n, name] of names.entries()) {
      keepCode(join(dir, name), Buffer.from(name))
      utimesSync(join(dir, name), n, n)
    }
    // The last one is written after the times of the others are set, so it removes the surplus one.
    expect(readdirSync(dir).sort()).toEqual(names.slice(2).sort())
    expect([dir, join(dir, 'code-13')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600])
  })
})

/** A program in three files. It prints a number, the column of an error, its file's name, and what it imports. */
const BUNDLE = {
  'package.json': '{"type":"commonjs"}',
  'import.js': 'module.exports = (name) => import(name)',
  'a.js': `const { twice } = require('./chunks/b.js'), load = require('./import.js')
exports.start = async () => { const { sep } = await load('node:path'); return [twice(21), columnHere(), __filename, sep, module.exports.start === exports.start] }; function columnHere() { return /:(\\d+:\\d+)/.exec(new Error('x').stack.split('\\n')[1])[1] }`,
  'chunks/b.js': 'exports.twice = (n) => 2 * n',
}

function newBundle() {
  const home = newDir()
  const dir = join(home, 'bundle')
  mkdirSync(join(dir, 'chunks'), { recursive: true })
  for (const [name, text] of Object.entries(BUNDLE)) writeFileSync(join(dir, name), text)
  const file = join(home, 'state', 'code')
  /** @param statements run after the program */
  const run = (isCached: boolean, statements = '') => {
    const cache = isCached ? `reuseCode(${JSON.stringify(file)}, ${JSON.stringify(dir)})` : ''
    const script = `import { createRequire } from 'node:module'
      import { reuseCode } from ${JSON.stringify(`${compileOnce()}/src/os/code-cache.js`)}
      ${cache}
      console.log(JSON.stringify(await createRequire('/')(${JSON.stringify(`${dir}/a.js`)}).start()))
      ${statements}`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    return stdout || stderr
  }
  const readCache = () => readFileSync(file)
  return { dir, file, run, readCache }
}

describe('a program that reuses compiled code', () => {
  it('returns the same as without a cache, stores its code once, and runs from it afterwards', () => {
    const { file, run, readCache } = newBundle()
    const plain = run(false)
    expect(plain).toMatch(/^\[42,/)
    expect(run(true)).toBe(plain)
    const { ino } = statSync(file)
    expect([...readCode(file).keys()].sort()).toEqual(['a.js', 'chunks/b.js'])
    const code = readCache()
    expect(run(true)).toBe(plain)
    expect(statSync(file).ino).toBe(ino)
    expect(readCache().equals(code)).toBe(true)
  })

  it('compiles and stores again if the file is damaged or belongs to other code', () => {
    const { file, run } = newBundle()
    const plain = run(false)
    run(true)
    for (const bytes of [
      Buffer.from('damaged'),
      formatCode(new Map([['a.js', Buffer.from('not of V8')]])),
      formatCode(new Map([['a.js', readCode(file).get('chunks/b.js') ?? Buffer.from('')]])),
    ]) {
      writeFileSync(file, bytes)
      expect(run(true)).toBe(plain)
      expect([...readCode(file).keys()].sort()).toEqual(['a.js', 'chunks/b.js'])
      expect(readFileSync(file).equals(bytes)).toBe(false)
    }
  })

  it('stores nothing after a failure or if it cannot write, and still runs', () => {
    const { file, run } = newBundle()
    const plain = run(false)
    expect(run(true, 'process.exit(1)')).toBe(plain)
    expect(() => statSync(file)).toThrow()
    mkdirSync(file, { recursive: true })
    chmodSync(file, 0o700)
    expect(run(true)).toBe(plain)
    expect(statSync(file).isDirectory()).toBe(true)
  })

  it('leaves files elsewhere to Node', () => {
    const { dir, file, run } = newBundle()
    writeFileSync(`${dir}-other.js`, 'exports.x = 1')
    run(true, `createRequire('/')(${JSON.stringify(`${dir}-other.js`)})`)
    expect([...readCode(file).keys()].sort()).toEqual(['a.js', 'chunks/b.js'])
  })
})

describe('the command on Node 20', () => {
  const start = (home: string, env: NodeJS.ProcessEnv = {}, args = ['init', '--yes'], program = 'main') => {
    const { XDG_STATE_HOME, ESCROW_SESSION, NODE_V8_COVERAGE, ...rest } = process.env
    const entry = join(compileOnce(), `src/cli/${program}.js`)
    const cwd = join(home, 'project')
    mkdirSync(cwd, { recursive: true })
    const options = { cwd, env: { ...rest, HOME: home, ...env }, encoding: 'utf8' } as const
    return spawnSync(process.execPath, [entry, ...args], options)
  }
  const cachedFilesIn = (home: string) => {
    try {
      return readdirSync(join(home, '.local/state/escrowfs/compiled/0.1.0'), { recursive: true, encoding: 'utf8' })
    } catch {
      return []
    }
  }

  it("stores its code in the user's state directory, and prints the same from it", () => {
    const home = newDir()
    start(home)
    const first = start(home, {}, ['status'])
    expect([first.status, first.stderr]).toEqual([0, ''])
    expect(start(home, {}, ['status']).stdout).toBe(first.stdout)
    // Newer versions of Node have their own cache, in files of other names.
    expect(cachedFilesIn(home).length).toBeGreaterThan(0)
  })

  it('stores the code of escrow-sh too, which hosts start for every command', () => {
    const home = newDir()
    start(home)
    const env = { ESCROW_SESSION_ID: 'one' }
    const before = cachedFilesIn(home).length
    expect(start(home, env, ['-c', 'true'], 'sh')).toMatchObject({ status: 0, stderr: '' })
    expect(cachedFilesIn(home).length).toBeGreaterThan(before)
  })

  it('stores no code in a session, if a variable moves the state directory, or for an unknown command', () => {
    const home = newDir()
    start(home, { XDG_STATE_HOME: join(home, 'moved') })
    expect(cachedFilesIn(home)).toEqual([])
    start(home, { ESCROW_SESSION: 's' })
    start(home, {}, ['../x'])
    start(home, {}, ['--version'])
    expect(cachedFilesIn(home).filter((name) => name.startsWith('v20.'))).toEqual([])
  })
})
