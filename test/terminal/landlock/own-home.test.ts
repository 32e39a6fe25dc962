import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makeOwnHome } from '../../../src/terminal/landlock/own-home.js'
import { tempDir } from '../../support/facade.js'

function scene() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  for (const dir of [
    'home/.config/opencode',
    'home/.config/other',
    'home/.cache',
    'dotfiles/codex',
    'copies/0',
    'copies/1',
  ])
    mkdirSync(join(path, dir), { recursive: true })
  writeFileSync(join(path, 'home/.gitconfig'), '')
  symlinkSync('../dotfiles/codex', join(path, 'home/.codex'))
  symlinkSync('nowhere', join(path, 'home/broken'))
  return path
}

it('the home view links to the person’s files, and to the copies in their place', () => {
  const path = scene()
  const mounts = [
    { at: join(path, 'home/.config/opencode'), layer: path, copy: join(path, 'copies/0') },
    { at: join(path, 'dotfiles/codex'), layer: path, copy: join(path, 'copies/1') },
  ]
  const view = { mounts, readOnly: [], env: { CODEX_HOME: join(path, 'home/.codex'), OTHER: '/elsewhere' } }
  const own = join(path, 'own')
  for (const _ of [1, 2])
    expect(makeOwnHome(view, own, join(path, 'home'))).toEqual({
      env: { HOME: own, CODEX_HOME: join(path, 'copies/1'), OTHER: '/elsewhere' },
      writable: [join(path, 'copies/0'), join(path, 'copies/1')],
      readable: [own],
    })
  expect(readdirSync(own).sort()).toEqual(['.cache', '.codex', '.config', '.gitconfig', 'broken'])
  expect(lstatSync(join(own, '.config')).isDirectory()).toBe(true)
  const targets = ['.cache', '.codex', '.config/opencode', '.config/other', '.gitconfig'].map((name) =>
    readlinkSync(join(own, name)),
  )
  expect(targets).toEqual(
    ['home/.cache', 'copies/1', 'copies/0', 'home/.config/other', 'home/.gitconfig'].map((name) => join(path, name)),
  )
})

it('the home view is the person’s own directory for a command without copies', () => {
  const path = scene()
  const view = { mounts: [{ at: path, layer: undefined }], readOnly: [], env: {} }
  for (const each of [undefined, view])
    expect(makeOwnHome(each, join(path, 'own'), join(path, 'home'))).toEqual({ env: {}, writable: [], readable: [] })
  expect(readdirSync(path)).not.toContain('own')
})
