import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { rulesFor } from '../../../src/terminal/landlock/rules.js'
import { tempDir } from '../../support/facade.js'

const NOTHING = { hidden: [], shown: [] }

function scene() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  for (const dir of ['root', 'own', 'home/.ssh', 'home/.config/tool', 'home/.config/secret', 'home/src'])
    mkdirSync(`${path}/${dir}`, { recursive: true })
  writeFileSync(`${path}/home/.netrc`, 'SECRET')
  writeFileSync(`${path}/home/plain`, 'plain')
  symlinkSync(`${path}/home/.ssh`, `${path}/home/link`)
  return path
}

const rules = (request: Parameters<typeof rulesFor>[0]) => new Map(rulesFor(request))

it('grants the siblings of a hidden path, and neither its parents nor a shared directory', () => {
  const granted = rules({ root: '/nowhere', own: [], readOnly: [], visibility: NOTHING })
  for (const path of ['/', '/tmp', '/var', '/var/tmp', '/run', '/dev', '/dev/pts', '/dev/shm', '/etc', '/etc/shadow'])
    expect([path, granted.has(path)]).toEqual([path, false])
  expect(granted.has('/usr')).toBe(true)
  expect(granted.has('/etc/passwd')).toBe(true)
})

it('shows below a hidden directory only what policy reveals, without what is hidden in it', () => {
  const at = scene()
  const hidden = [`${at}/home`, `${at}/home/.config/secret`].map((path) => ({ path, isDirectory: true }))
  const granted = rules({
    root: `${at}/root`,
    own: [],
    readOnly: [],
    visibility: { hidden, shown: [`${at}/home/.config`] },
  })
  const visible = [...granted.keys()].filter((path) => path.startsWith(at))
  expect(visible).toEqual([`${at}/home/.config/tool`])
})

it('lists the siblings of hidden files, and no link', () => {
  const at = scene()
  const hidden = [
    { path: `${at}/home/.ssh`, isDirectory: true },
    { path: `${at}/home/.netrc`, isDirectory: false },
  ]
  // The directories of temporary files are hidden as a whole, so the home is revealed in them.
  const granted = rules({ root: `${at}/root`, own: [], readOnly: [], visibility: { hidden, shown: [`${at}/home`] } })
  const visible = [...granted.keys()].filter((path) => path.startsWith(at)).sort()
  expect(visible).toEqual([`${at}/home/.config`, `${at}/home/plain`, `${at}/home/src`])
})

it('allows a command to write only in its own directories, and never to create devices', () => {
  const at = scene()
  const writing = [...rules({ root: `${at}/root`, own: [`${at}/own`], readOnly: [], visibility: NOTHING })].filter(
    ([path, access]) => !path.startsWith('/dev/') && (access & ~0b1101) !== 0,
  )
  expect(writing.map(([path]) => path)).toEqual([`${at}/own`])
  expect((writing[0]?.[1] ?? 0) & ((1 << 6) | (1 << 11))).toBe(0)
})

it('refuses a hidden path in a directory of the command', () => {
  const at = scene()
  const hidden = [{ path: `${at}/own/secret`, isDirectory: false }]
  expect(() =>
    rulesFor({ root: `${at}/root`, own: [`${at}/own`], readOnly: [], visibility: { hidden, shown: [] } }),
  ).toThrow('hidden')
})
