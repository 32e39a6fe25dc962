import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cacheCompiledCode } from '../../src/os/compile-cache.js'
import { tempDir } from '../support/facade.js'

function newHome(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

/** The directories that Node was told to use, for a person with this home. */
function enabledFor(home: string, env: NodeJS.ProcessEnv = {}): string[] {
  const enabled: string[] = []
  cacheCompiledCode('1.2.3', { HOME: home, ...env }, { enableCompileCache: (dir) => enabled.push(dir) })
  return enabled
}

describe('the compile cache', () => {
  it('is in the state directory of the person', () => {
    const home = newHome()
    const dir = `${home}/.local/state/escrowfs/compiled/1.2.3`
    expect(enabledFor(home)).toEqual([dir])
    mkdirSync(dir, { recursive: true, mode: 0o755 })
    expect(enabledFor(home)).toEqual([dir])
  })

  it('is created for its owner alone, whatever the umask: a group that may write it would turn the cache off', () => {
    const home = newHome()
    const umask = process.umask()
    cacheCompiledCode('1.2.3', { HOME: home }, { enableCompileCache: (dir) => mkdirSync(dir, { recursive: true }) })
    expect(statSync(`${home}/.local/state/escrowfs/compiled/1.2.3`).mode & 0o777).toBe(0o700)
    expect(process.umask()).toBe(umask)
  })

  it('is off where a variable moves the state directory: a clone can hold that one', () => {
    const home = newHome()
    expect(enabledFor(home, { XDG_STATE_HOME: `${home}/clone` })).toEqual([])
    expect(existsSync(`${home}/clone`)).toBe(false)
  })

  it('is off where another user can write it, where it is a link, and where it cannot be read', () => {
    const [shared, linked, blocked] = [newHome(), newHome(), newHome()]
    mkdirSync(`${shared}/.local/state/escrowfs/compiled/1.2.3`, { recursive: true })
    chmodSync(`${shared}/.local/state/escrowfs/compiled/1.2.3`, 0o777)
    mkdirSync(`${linked}/.local/state/escrowfs/compiled`, { recursive: true })
    symlinkSync(newHome(), `${linked}/.local/state/escrowfs/compiled/1.2.3`)
    symlinkSync('/dev/null', `${blocked}/.local`)
    expect([shared, linked, blocked].flatMap((home) => enabledFor(home))).toEqual([])
  })

  it('is off where Node has none', () => {
    const home = newHome()
    cacheCompiledCode('1.2.3', { HOME: home }, {})
    expect(existsSync(`${home}/.local`)).toBe(false)
  })
})
