import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { Session } from '../../src/index.js'
import { recordEvents, waitForEvents } from '../fs/watching.js'
import { tempDir } from '../support/facade.js'
import { errorFrom, type Scene, scene } from './kit.js'

/** A watcher reports nothing about hidden paths, under any name. */

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
  /** Writes a file as a person does. */
  writeAsPerson(path: string, text: string): void
}

async function createPlace(): Promise<Place> {
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
  return { s, session, outside, writeAsPerson: (path, text) => fs.writeFileSync(path, text) }
}

test.each(['src', 'to-src', '.'])('a watch of %s reports nothing about hidden paths in it', async (dir) => {
  const { s, session, writeAsPerson } = await createPlace()
  const events = recordEvents(session.fs.watch(dir, { recursive: true }))
  const allEvents = () =>
    waitForEvents(events, (round) => writeAsPerson(s.at('src/probe'), round), dir === '.' ? 'src/probe' : 'probe')
  writeAsPerson(s.at('src/hidden/x.ts'), 'changed')
  writeAsPerson(s.at('src/hidden/new.ts'), 'new')
  writeAsPerson(s.at('src/private/p.ts'), 'changed')
  fs.mkdirSync(s.at('src/ghost'))
  fs.renameSync(s.at('src/hidden/new.ts'), s.at('src/hidden/other.ts'))
  writeAsPerson(s.at('src/a.ts'), 'changed')
  const names = (await allEvents()).join(' ')
  expect(names).toContain('a.ts')
  expect(names).not.toMatch(/hidden|ghost|private|other|x\.ts|p\.ts/)
})

test.each(['src/NAME', 'src/NAME/x.ts', 'to-src/NAME'])(
  'a watch of %s fails like a watch of an absent path',
  async (at) => {
    const { session } = await createPlace()
    const errors = ['hidden', 'ghost'].map((name) => {
      const error = errorFrom(() => session.fs.watch(at.replace('NAME', name)))
      return [error?.code, error?.message?.replaceAll(name, 'NAME')]
    })
    expect(errors[0]).toEqual(errors[1])
    expect(errors[0]?.[0]).toBe('ENOENT')
  },
)

test('watchFile of a hidden file reports no file and no change', async () => {
  const { s, session, writeAsPerson } = await createPlace()
  const times: (readonly [number, number])[] = []
  const listener = (current: fs.Stats, previous: fs.Stats) => times.push([current.mtimeMs, previous.mtimeMs])
  const poll = session.fs.watchFile(s.at('src/hidden/x.ts'), { interval: 5 }, listener)
  const other = new Promise((resolve) => session.fs.watchFile(s.at('src/a.ts'), { interval: 5 }, resolve))
  writeAsPerson(s.at('src/hidden/x.ts'), 'changed')
  writeAsPerson(s.at('src/a.ts'), 'changed')
  await other
  fs.rmSync(s.at('src/hidden/x.ts'))
  await new Promise((resolve) => {
    session.fs.watchFile(s.at('src/probe'), { interval: 5 }, resolve)
    writeAsPerson(s.at('src/probe'), 'later')
  })
  poll.removeAllListeners()
  // Node reports an absent path once, with empty times.
  expect(times).toEqual([[0, 0]])
})

test.each(['OUTSIDE', 'to-outside'])('a watch of %s reports nothing that an outside rule hides', async (name) => {
  const { session, outside, writeAsPerson } = await createPlace()
  const dir = name.replace('OUTSIDE', outside)
  const events = recordEvents(session.fs.watch(dir, { recursive: true }))
  const allEvents = () => waitForEvents(events, (round) => writeAsPerson(`${outside}/probe`, round))
  writeAsPerson(`${outside}/secret/key`, 'changed')
  writeAsPerson(`${outside}/open`, 'changed')
  const names = (await allEvents()).join(' ')
  expect(names).toContain('open')
  expect(names).not.toMatch(/secret|key/)
  expect(errorFrom(() => session.fs.watch(`${dir}/secret`))?.code).toBe('ENOENT')
})
