import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isInState, stateDir } from '../../src/os/state-dir.js'
import { layoutAt, prepareState } from '../../src/os/workspace-state.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'

function place(): { readonly path: string; readonly root: string } {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('XDG_STATE_HOME', `${path}/state`)
  mkdirSync(`${path}/ws`)
  return { path, root: `${path}/ws` }
}

describe('the state directory of a workspace', () => {
  it('stays when the workspace is renamed', () => {
    const { path, root } = place()
    const { state } = layoutAt(root)
    prepareState(layoutAt(root))
    renameSync(root, `${path}/renamed`)
    expect(layoutAt(`${path}/renamed`).state).toBe(state)
    mkdirSync(root)
    expect(layoutAt(root).state).not.toBe(state)
  })

  it('is not shared with a copy, or with a new directory in place of a removed one', () => {
    const { path, root } = place()
    const { state } = layoutAt(root)
    prepareState(layoutAt(root))
    cpSync(root, `${path}/copy`, { recursive: true, preserveTimestamps: true })
    expect(layoutAt(`${path}/copy`).state).not.toBe(state)
    for (let attempt = 0; attempt < 20; attempt += 1) {
      rmSync(root, { recursive: true })
      mkdirSync(root)
      expect(layoutAt(root).state).not.toBe(state)
    }
  })

  it('stays when a container makes its first change in a workspace of its image', async () => {
    const { path } = place()
    for (const name of ['image/ws', 'upper', 'work', 'container']) mkdirSync(`${path}/${name}`, { recursive: true })
    // The layer of the container gets its own birth times.
    await setTimeout(20)
    const layers = `lowerdir=${path}/image,upperdir=${path}/upper,workdir=${path}/work`
    const mount = 'mount -t overlay -o "$0" overlay "$1" && exec "$2" "$3" "$1/ws"'
    const child = [process.execPath, `${compileOnce()}/test/children/layouts.js`]
    const ran = spawnSync('unshare', ['-Urm', 'sh', '-c', mount, layers, `${path}/container`, ...child], {
      encoding: 'utf8',
    })
    expect(ran.stderr).toBe('')
    const [before, after]: string[] = JSON.parse(ran.stdout)
    expect(before).toContain(`${path}/state/escrowfs/workspaces/`)
    expect(after).toBe(before)
  })

  it('is readable only by its owner, and refused if others can write to it', () => {
    const { path, root } = place()
    prepareState(layoutAt(root))
    for (const dir of [`${path}/state/escrowfs`, `${path}/state/escrowfs/workspaces`, layoutAt(root).state])
      expect(statSync(dir).mode & 0o777).toBe(0o700)
    rmSync(`${path}/state/escrowfs/workspaces`, { recursive: true })
    mkdirSync(`${path}/elsewhere`, { mode: 0o700 })
    symlinkSync(`${path}/elsewhere`, `${path}/state/escrowfs/workspaces`)
    expect(() => layoutAt(root)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('is not a directory that only you can write to'),
        hint: expect.stringContaining('set XDG_STATE_HOME to a directory on another one'),
      }),
    )
  })

  it('is refused in the workspace itself, whatever link leads there', () => {
    const { path, root } = place()
    vi.stubEnv('XDG_STATE_HOME', `${root}/state`)
    expect(() => layoutAt(root)).toThrow(/is in the workspace/)
    symlinkSync(root, `${path}/link`)
    vi.stubEnv('XDG_STATE_HOME', `${path}/link`)
    expect(() => layoutAt(root)).toThrow(/is in the workspace/)
  })
})

it("the state directory is in the system's directory for state", () => {
  expect(stateDir({ XDG_STATE_HOME: '/s', HOME: '/h' }, 'linux')).toBe('/s/escrowfs')
  expect(stateDir({ XDG_STATE_HOME: 'relative', HOME: '/h' }, 'linux')).toBe('/h/.local/state/escrowfs')
  expect(stateDir({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support/escrowfs')
  expect(stateDir({ HOME: '/h', LOCALAPPDATA: '/l' }, 'win32')).toBe('/l/escrowfs')
  expect(stateDir({}, 'linux')).toBe(`${homedir()}/.local/state/escrowfs`)
})

it('the state directory is hidden from agents, by its name and by a link to it', () => {
  const { path } = place()
  mkdirSync(`${path}/real/escrowfs/workspaces`, { recursive: true })
  symlinkSync(`${path}/real`, `${path}/state`)
  expect(isInState(`${path}/state/escrowfs/keys/ed25519.pem`)).toBe(true)
  expect(isInState(`${path}/real/escrowfs`)).toBe(true)
  expect(isInState(`${path}/real/other`)).toBe(false)
})
