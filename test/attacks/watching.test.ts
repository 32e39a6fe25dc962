import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { Session } from '../../src/index.js'
import { recorded, settled } from '../fs/watching.js'
import { tempDir } from '../support/facade.js'
import { type Scene, scene, thrown } from './kit.js'

/** What a watcher tells of paths that may not be known: nothing, by whatever name they are watched. */

const POLICY = (outside: string) => `access:
  src/hidden: hidden
  src/ghost: hidden
  src/private: deny
outside:
  ${JSON.stringify(`${outside}/secret`)}: hidden
`

interface Place {
  readonly s: Scene
  readonly session: Session
  readonly outside: string
  person(path: string, text: string): void
}

async function place(): Promise<Place> {
  const { path: outside, dispose } = tempDir('escrowfs-watched-')
  onTestFinished(() => dispose())
  fs.mkdirSync(`${outside}/secret`)
  fs.writeFileSync(`${outside}/secret/key`, 'k')
  fs.writeFileSync(`${outside}/probe`, '')
  const s = scene({
    'src/a.ts': 'a\n',
    'src/probe': '',
    'src/hidden/x.ts': 'x\n',
    'src/private/p.ts': 'p\n',
    '.orchestration/policy.yaml': POLICY(outside),
  })
  fs.symlinkSync('src', s.at('to-src'))
  fs.symlinkSync(outside, s.at('to-outside'))
  const session = await s.agent(await s.open())
  return { s, session, outside, person: (path, text) => fs.writeFileSync(path, text) }
}

test.each(['src', 'to-src', '.'])('a watch of %s hears nothing of what is hidden in it', async (dir) => {
  const { s, session, person } = await place()
  const told = recorded(session.fs.watch(dir, { recursive: true }))
  const all = () => settled(told, (round) => person(s.at('src/probe'), round), dir === '.' ? 'src/probe' : 'probe')
  person(s.at('src/hidden/x.ts'), 'changed')
  person(s.at('src/hidden/new.ts'), 'new')
  person(s.at('src/private/p.ts'), 'changed')
  fs.mkdirSync(s.at('src/ghost'))
  fs.renameSync(s.at('src/hidden/new.ts'), s.at('src/hidden/other.ts'))
  person(s.at('src/a.ts'), 'changed')
  const names = (await all()).join(' ')
  expect(names).toContain('a.ts')
  expect(names).not.toMatch(/hidden|ghost|private|other|x\.ts|p\.ts/)
})

test.each(['src/NAME', 'src/NAME/x.ts', 'to-src/NAME'])(
  'a watch of %s fails as one of what is absent does',
  async (at) => {
    const { session } = await place()
    const told = ['hidden', 'ghost'].map((name) => {
      const error = thrown(() => session.fs.watch(at.replace('NAME', name)))
      return [error?.code, error?.message?.replaceAll(name, 'NAME')]
    })
    expect(told[0]).toEqual(told[1])
    expect(told[0]?.[0]).toBe('ENOENT')
  },
)

test('watchFile of what is hidden sees nothing there, and nothing come or go', async () => {
  const { s, session, person } = await place()
  const seen: (readonly [number, number])[] = []
  const hear = (now: fs.Stats, before: fs.Stats) => seen.push([now.mtimeMs, before.mtimeMs])
  const poll = session.fs.watchFile(s.at('src/hidden/x.ts'), { interval: 5 }, hear)
  const other = new Promise((resolve) => session.fs.watchFile(s.at('src/a.ts'), { interval: 5 }, resolve))
  person(s.at('src/hidden/x.ts'), 'changed')
  person(s.at('src/a.ts'), 'changed')
  await other
  fs.rmSync(s.at('src/hidden/x.ts'))
  await new Promise((resolve) => {
    session.fs.watchFile(s.at('src/probe'), { interval: 5 }, resolve)
    person(s.at('src/probe'), 'later')
  })
  poll.removeAllListeners()
  // Of a path that is not there Node tells once, with empty times.
  expect(seen).toEqual([[0, 0]])
})

test.each(['OUTSIDE', 'to-outside'])('a watch of %s hears nothing of what a rule hides there', async (name) => {
  const { session, outside, person } = await place()
  const dir = name.replace('OUTSIDE', outside)
  const told = recorded(session.fs.watch(dir, { recursive: true }))
  const all = () => settled(told, (round) => person(`${outside}/probe`, round))
  person(`${outside}/secret/key`, 'changed')
  person(`${outside}/open`, 'changed')
  const names = (await all()).join(' ')
  expect(names).toContain('open')
  expect(names).not.toMatch(/secret|key/)
  expect(thrown(() => session.fs.watch(`${dir}/secret`))?.code).toBe('ENOENT')
})
