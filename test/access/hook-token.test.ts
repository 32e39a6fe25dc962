import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { hookToken } from '../../src/surface/index.js'
import { tempDir } from '../support/facade.js'

function place(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

it('the hook token is created once for each workspace, is private, and is refused if its file has other text', () => {
  const [state, root, other] = [place(), place(), place()]
  vi.stubEnv('XDG_STATE_HOME', state)
  onTestFinished(() => void vi.unstubAllEnvs())
  const token = hookToken(root)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(hookToken(root)).toBe(token)
  mkdirSync(`${root}/below`)
  expect(hookToken(`${root}/below/..`)).toBe(token)
  expect(hookToken(other)).not.toBe(token)
  const dir = join(state, 'escrowfs', 'hooks')
  const [first = ''] = readdirSync(dir)
  expect(readdirSync(dir)).toHaveLength(2)
  expect([statSync(dir).mode & 0o777, statSync(join(dir, first)).mode & 0o777]).toEqual([0o700, 0o600])
  for (const name of readdirSync(dir)) writeFileSync(join(dir, name), '')
  expect(() => hookToken(root)).toThrow(/no token/)
})
