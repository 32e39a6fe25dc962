import { mkdirSync, realpathSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isInMount, rootOf } from '../../src/index.js'
import { tempDir } from '../support/facade.js'

function place(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${path}/.orchestration`)
  mkdirSync(`${path}/a/b`, { recursive: true })
  return realpathSync(path)
}

describe('the workspace root of a hook', () => {
  it('is the nearest one upwards, even from a missing directory', () => {
    const root = place()
    expect(rootOf(`${root}/a/b`)).toBe(root)
    expect(rootOf(`${root}/a/none/deeper`)).toBe(root)
    expect(rootOf('/')).toBeUndefined()
  })

  it("is in a mount only if the kernel's mount table says so, in a session", () => {
    const root = place()
    const staged = { path: root, type: 'overlay', isReadOnly: false }
    const ours = { path: `${root}/.orchestration`, type: 'overlay', isReadOnly: true }
    const env = { ESCROW_SESSION: 's' }
    expect(isInMount(root, env, () => [staged, ours])).toBe(true)
    expect(isInMount(root, {}, () => [staged, ours])).toBe(false)
    expect(isInMount(root, env)).toBe(false)
    expect(isInMount(root, env, () => [])).toBe(false)
    expect(isInMount(root, env, () => [staged])).toBe(false)
    expect(isInMount(root, env, () => [staged, { ...ours, isReadOnly: false }])).toBe(false)
    expect(isInMount(root, env, () => [{ ...staged, type: 'ext4' }, ours])).toBe(false)
    // The last mount at a place is the visible one.
    expect(isInMount(root, env, () => [staged, ours, { ...staged, type: 'ext4' }])).toBe(false)
    expect(isInMount(`${root}/a`, env, () => [staged, ours])).toBe(false)
  })
})
