import { expect, test } from 'vitest'
import { errorFrom, scene } from './kit.js'

const INTENTS = `active_intents:
  - { id: WIDE, name: W, status: IN_PROGRESS, owned_scope: ["src/**"] }
  - { id: NARROW, name: N, status: IN_PROGRESS, owned_scope: ["src/a/**"] }
`

test('a descriptor of a removed name is checked by the remaining hard link', async () => {
  const s = scene({ 'src/b/y.ts': 'y\n', 'src/a/keep.ts': '' }, INTENTS)
  const session = await s.agent(await s.open(), 'one', 'WIDE')
  session.fs.linkSync('src/b/y.ts', 'src/a/x.ts')
  const fd = session.fs.openSync('src/a/x.ts', 'r+')
  await session.selectIntent('NARROW')
  session.fs.unlinkSync('src/a/x.ts')
  expect(errorFrom(() => session.fs.writeSync(fd, 'X'))?.code).toBe('EACCES')
  expect(errorFrom(() => session.fs.ftruncateSync(fd))?.code).toBe('EACCES')
  expect(errorFrom(() => session.fs.fchmodSync(fd, 0o600))?.code).toBe('EACCES')
  expect(session.fs.readFileSync('src/b/y.ts', 'utf8')).toBe('y\n')
  session.fs.closeSync(fd)
})

test('a file can be written through a hard link only if all its names may be written', async () => {
  const s = scene({ 'src/b/y.ts': 'y\n', 'src/a/keep.ts': '' }, INTENTS)
  const session = await s.agent(await s.open(), 'one', 'WIDE')
  session.fs.linkSync('src/b/y.ts', 'src/a/x.ts')
  session.fs.writeFileSync('src/a/x.ts', 'both\n')
  expect(session.fs.readFileSync('src/b/y.ts', 'utf8')).toBe('both\n')
  await session.selectIntent('NARROW')
  expect(errorFrom(() => session.fs.writeFileSync('src/a/x.ts', 'X'))?.code).toBe('EACCES')
  expect(errorFrom(() => session.fs.chmodSync('src/a/x.ts', 0o600))?.code).toBe('EACCES')
  const fd = session.fs.openSync('src/a/x.ts', 'r+')
  expect(errorFrom(() => session.fs.writeSync(fd, 'X'))?.code).toBe('EACCES')
  session.fs.closeSync(fd)
  expect(session.fs.readFileSync('src/b/y.ts', 'utf8')).toBe('both\n')
})

test('a descriptor cannot be written after its intent or session has ended', async () => {
  const s = scene({ 'src/a/x.ts': 'x\n' }, INTENTS)
  const session = await s.agent(await s.open(), 'one', 'NARROW')
  const fd = session.fs.openSync('src/a/x.ts', 'r+')
  await session.selectIntent(null)
  expect(errorFrom(() => session.fs.writeSync(fd, 'X'))?.code).toBe('EACCES')
  await session.close()
  expect(errorFrom(() => session.fs.writeSync(fd, 'X'))).toBeDefined()
  expect(s.read('src/a/x.ts')).toBe('x\n')
})
