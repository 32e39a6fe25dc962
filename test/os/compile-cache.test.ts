import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cacheCompiledCode } from '../../src/os/compile-cache.js'
import { tempDir } from '../support/facade.js'

const NODE_20 = { prototype: { require: () => undefined } }
const PROGRAM = { version: '1.2.3', entry: '/opt/escrow/main.js', command: 'status', build: 'b'.repeat(64) }

function newHome(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

/** The directories that Node was given, for a user with this home. */
function enabledDirs(home: string, env: NodeJS.ProcessEnv = {}): string[] {
  const enabled: string[] = []
  cacheCompiledCode(PROGRAM, { HOME: home, ...env }, { ...NODE_20, enableCompileCache: (dir) => enabled.push(dir) })
  return enabled
}

describe('the compile cache', () => {
  it("is in the user's state directory", () => {
    const home = newHome()
    const dir = `${home}/.local/state/escrowfs/compiled/1.2.3`
    expect(enabledDirs(home)).toEqual([dir])
    mkdirSync(dir, { recursive: true, mode: 0o755 })
    expect(enabledDirs(home)).toEqual([dir])
  })

  it('is created for its owner only, whatever the umask, because a cache that a group can write is off', () => {
    const home = newHome()
    const umask = process.umask()
    cacheCompiledCode(
      PROGRAM,
      { HOME: home },
      { ...NODE_20, enableCompileCache: (dir) => mkdirSync(dir, { recursive: true }) },
    )
    expect(statSync(`${home}/.local/state/escrowfs/compiled/1.2.3`).mode & 0o777).toBe(0o700)
    expect(process.umask()).toBe(umask)
  })

  it('is off if a variable moves the state directory, which could then be in a clone', () => {
    const home = newHome()
    expect(enabledDirs(home, { XDG_STATE_HOME: `${home}/clone` })).toEqual([])
    expect(existsSync(`${home}/clone`)).toBe(false)
  })

  it('is off if the home directory is in a workspace, because a clone could bring the compiled code', () => {
    const clone = newHome()
    mkdirSync(`${clone}/.orchestration`)
    mkdirSync(`${clone}/home/.local/state/escrowfs/compiled/1.2.3`, { recursive: true, mode: 0o700 })
    expect([clone, `${clone}/home`].flatMap((home) => enabledDirs(home))).toEqual([])
  })

  it('is off if another user can replace it, because a directory above is writable', () => {
    for (const writable of ['escrowfs', 'escrowfs/compiled']) {
      const home = newHome()
      mkdirSync(`${home}/.local/state/escrowfs/compiled/1.2.3`, { recursive: true, mode: 0o700 })
      chmodSync(`${home}/.local/state/${writable}`, 0o770)
      expect(enabledDirs(home), writable).toEqual([])
    }
  })

  it('is off if another user can write it, it is a link, or it cannot be read', () => {
    const [shared, linked, blocked] = [newHome(), newHome(), newHome()]
    mkdirSync(`${shared}/.local/state/escrowfs/compiled/1.2.3`, { recursive: true })
    chmodSync(`${shared}/.local/state/escrowfs/compiled/1.2.3`, 0o777)
    mkdirSync(`${linked}/.local/state/escrowfs/compiled`, { recursive: true })
    symlinkSync(newHome(), `${linked}/.local/state/escrowfs/compiled/1.2.3`)
    symlinkSync('/dev/null', `${blocked}/.local`)
    expect([shared, linked, blocked].flatMap((home) => enabledDirs(home))).toEqual([])
  })

  it('is a file of our own if Node has none, if the program is bundled and outside a session', () => {
    const home = newHome()
    mkdirSync(`${home}/.local/state/escrowfs/compiled/1.2.3`, { recursive: true, mode: 0o700 })
    const isPatched = (program: Partial<typeof PROGRAM>, env: NodeJS.ProcessEnv = {}) => {
      const compile = () => undefined
      const node = { prototype: { ...NODE_20.prototype, _compile: compile } }
      const exits = process.listeners('exit')
      cacheCompiledCode({ ...PROGRAM, ...program }, { HOME: home, ...env }, node)
      for (const each of process.listeners('exit')) if (!exits.includes(each)) process.removeListener('exit', each)
      return node.prototype._compile !== compile
    }
    expect(isPatched({})).toBe(true)
    expect(isPatched({ command: '../../x' })).toBe(false)
    for (const name of ['ESCROW_SESSION', 'NODE_V8_COVERAGE', 'XDG_STATE_HOME'])
      expect(isPatched({}, { [name]: 'x' }), name).toBe(false)
  })
})
