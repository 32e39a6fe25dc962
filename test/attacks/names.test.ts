import fs from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { asRelPath } from '../../overlay/index.js'
import { overlayOver } from '../overlay/bench.js'
import { tempDir } from '../support/facade.js'
import { errorFrom, scene } from './kit.js'

function createVault(): string {
  const { path, dispose } = tempDir('escrowfs-vault-')
  onTestFinished(() => dispose())
  fs.writeFileSync(`${path}/key`, 'secret\n')
  return path
}

const readCodes = (api: typeof fs, path: string) => [
  errorFrom(() => api.readFileSync(path))?.code,
  errorFrom(() => api.copyFileSync(path, 'src/copy'))?.code,
  errorFrom(() => api.statSync(path))?.code,
  errorFrom(() => api.accessSync(path))?.code,
  api.existsSync(path),
]

test.each([
  ['deny', 'EACCES', 'EACCES'],
  ['hidden', 'ENOENT', 'ENOENT'],
])('an access rule (%s) on a link that leads outside applies to its target', async (word, read, expected) => {
  const s = scene({ 'src/a.ts': 'a\n', '.orchestration/policy.yaml': `access: { vault: ${word} }\n` })
  fs.symlinkSync(createVault(), s.at('vault'))
  const session = await s.agent(await s.open())
  expect(readCodes(session.fs, 'vault/key').slice(0, 2)).toEqual([read, read])
  expect(errorFrom(() => session.fs.readdirSync('vault'))?.code).toBe(expected)
  expect(session.fs.existsSync('vault/key')).toBe(false)
})

test('an outside rule applies to its path even if the path contains links', async () => {
  const secret = createVault()
  const { path: home, dispose } = tempDir('escrowfs-home-')
  onTestFinished(() => dispose())
  fs.symlinkSync(secret, `${home}/.ssh`)
  const s = scene({ '.orchestration/policy.yaml': `outside: { "${home}/.ssh": hidden }\n` })
  const session = await s.agent(await s.open())
  expect(errorFrom(() => session.fs.readFileSync(`${home}/.ssh/key`))?.code).toBe('ENOENT')
  expect(errorFrom(() => session.fs.readFileSync(`${home}/./x/../.ssh/key`))?.code).toBe('ENOENT')
  expect(session.fs.existsSync(`${home}/.ssh/key`)).toBe(false)
})

test('a rule on a path through a link to the root hides the path only there', async () => {
  const s = scene({
    'src/a.ts': 'a\n',
    'loopsrc/b.ts': 'b\n',
    '.orchestration/policy.yaml': 'access: { loop/src: hidden }\n',
  })
  fs.symlinkSync('.', s.at('loop'))
  const session = await s.agent(await s.open())
  expect(session.fs.readdirSync('loop')).not.toContain('src')
  expect(session.fs.readdirSync('.')).toContain('src')
})

test('mkdir gives the same error for a hidden and an absent path', async () => {
  const s = scene({
    'src/hidden/a.ts': 'a\n',
    '.orchestration/policy.yaml': 'access: { src/hidden: hidden, src/none: hidden }\n',
  })
  const session = await s.agent(await s.open())
  const there = errorFrom(() => session.fs.mkdirSync('src/hidden'))
  const absent = errorFrom(() => session.fs.mkdirSync('src/none'))
  expect([there?.code, there?.message]).toEqual([absent?.code, absent?.message?.replace('none', 'hidden')])
})

test('a workspace whose .orchestration is a link is refused, because its target could be writable', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  fs.renameSync(s.at('.orchestration'), s.at('src/conf'))
  fs.symlinkSync('src/conf', s.at('.orchestration'))
  const { openWorkspace } = await import('../../src/index.js')
  await expect(openWorkspace(s.root)).rejects.toMatchObject({ reason: 'path_escape' })
})

test('a name with a lone surrogate is refused, because two of them would be one file', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const session = await s.agent(await s.open())
  expect(errorFrom(() => session.fs.writeFileSync('src/\ud800.ts', 'x'))?.code).toBe('EILSEQ')
  expect(errorFrom(() => session.fs.renameSync('src/a.ts', 'src/\udc00'))?.code).toBe('EILSEQ')
})

test('bytes in shared memory are copied once', () => {
  const logged: Uint8Array[] = []
  const log = (_edit: unknown, data: unknown) => {
    if (data instanceof Uint8Array) logged.push(data)
    return undefined
  }
  const { overlay, dispose } = overlayOver({ a: 'a' }, { log })
  onTestFinished(dispose)
  const shared = new Uint8Array(new SharedArrayBuffer(4)).fill(65)
  overlay.put(asRelPath('a'), shared)
  overlay.put(asRelPath('b'), shared.subarray(1))
  overlay.put(asRelPath('b'), shared, { at: 1 })
  expect(logged.map((data) => data.buffer instanceof SharedArrayBuffer)).toEqual([false, false, false])
  expect(overlay.read(asRelPath('b')).toString()).toBe('AAAAA')
})
