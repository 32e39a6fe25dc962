import { expect, it, onTestFinished } from 'vitest'
import { asRelPath, fsError, type Lower, Overlay, openLower, Stage } from '../../overlay/index.js'
import { applyEffects } from '../../src/terminal/apply-effects.js'
import { NO_CONFLICTS } from '../../src/terminal/conflict-check.js'
import type { Effect } from '../../src/terminal/effects.js'
import { overlayOver } from '../overlay/bench.js'

const FILES = { 'src/a': 'old\n', 'src/locked/in': 'new\n', 'src/secret': 'new\n' }

/** An overlay on a disk where this user may not read `src/locked` and `src/secret`. */
function unreadable() {
  const { root, dispose } = overlayOver(FILES)
  onTestFinished(dispose)
  const disk = openLower(root)
  const denied = (path: string, call: string) => {
    if (/locked|secret/.test(path)) throw fsError('EACCES', call, path)
  }
  const lower: Lower = {
    ...disk,
    readdir(path) {
      denied(path, 'scandir')
      return disk.readdir(path)
    },
    read(path) {
      denied(path, 'open')
      return disk.read(path)
    },
  }
  return new Overlay({ lower, stage: new Stage() })
}

const file = (path: string, content: string): Effect => ({
  kind: 'file',
  path: asRelPath(path),
  mode: 0o644,
  size: content.length,
  ino: 0,
  stamp: '',
  read: () => Buffer.from(content),
})

it('a removed directory or file that this user may not read is refused alone', () => {
  const overlay = unreadable()
  const effects: Effect[] = [
    { kind: 'gone', path: asRelPath('src/locked') },
    { kind: 'gone', path: asRelPath('src/secret') },
    file('src/b', 'new\n'),
  ]
  const { refused } = applyEffects(effects, { layer: overlay, within: (work) => work() }, overlay, NO_CONFLICTS)
  expect(refused.map(({ path, reason, message }) => [path, reason, message])).toEqual(
    ['src/locked', 'src/secret'].map((path) => [
      path,
      'unsupported',
      `${path} could not be staged: permission denied (EACCES).`,
    ]),
  )
  expect(overlay.readdir(asRelPath('src')).map(({ name }) => name)).toEqual(['a', 'b', 'locked', 'secret'])
})

it('a removed directory with an unreadable one in it keeps that one alone: other files are removed or renamed', () => {
  const overlay = unreadable()
  const effects: Effect[] = [{ kind: 'gone', path: asRelPath('src') }, file('b', 'old\n')]
  const { refused } = applyEffects(effects, { layer: overlay, within: (work) => work() }, overlay, NO_CONFLICTS)
  expect(refused.map(({ path }) => path)).toEqual(['src/locked', 'src/secret'])
  expect(overlay.readdir(asRelPath('src')).map(({ name }) => name)).toEqual(['locked', 'secret'])
  expect(overlay.read(asRelPath('b')).toString()).toBe('old\n')
})
