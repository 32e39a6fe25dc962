import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Layout, SharedFile } from '../../src/core/layout.js'
import {
  createShared,
  extendShared,
  hasOrchestration,
  inDirectory,
  listShared,
  makeOrchestration,
  readShared,
  replaceShared,
  sharedExists,
} from '../../src/os/shared-files.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { tempDir } from '../support/facade.js'
import { filesBelow } from '../support/usage.js'

function workspace(): { readonly layout: Layout; readonly outside: string } {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  fs.mkdirSync(`${path}/ws/.orchestration`, { recursive: true })
  fs.mkdirSync(`${path}/outside`)
  fs.writeFileSync(`${path}/outside/file`, 'outside\n')
  return { layout: layoutAt(`${path}/ws`), outside: `${path}/outside` }
}

const pathEscapeError = (file: unknown, kind: RegExp) =>
  expect.objectContaining({
    reason: 'path_escape',
    message: expect.stringMatching(new RegExp(`^${String(file)} is .*${kind.source}`)),
  })

describe('a plain file', () => {
  it('is created once, read, replaced with its mode kept, and extended', () => {
    const { layout } = workspace()
    const file = layout.ledgerFile
    expect(sharedExists(file)).toBe(false)
    createShared(file, 'one\n')
    expect(() => createShared(file, 'two\n')).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    fs.chmodSync(`${file}`, 0o640)
    replaceShared(file, 'three\n')
    expect([readShared(file).toString(), fs.statSync(`${file}`).mode & 0o777]).toEqual(['three\n', 0o640])
    expect(extendShared(file, Buffer.from('four\n'), 6)).toBe(true)
    expect(extendShared(file, Buffer.from('five\n'), 6)).toBe(false)
    expect(readShared(file).toString()).toBe('three\nfour\n')
    expect(() => readShared(file, 3)).toThrow(expect.objectContaining({ code: 'EFBIG' }))
    expect(listShared(new SharedFile(layout.root, '.orchestration'))).toEqual(['agent_trace.jsonl'])
  })
})

const WRITES: readonly (readonly [string, (file: SharedFile) => unknown])[] = [
  ['read', (file) => readShared(file)],
  ['replaced', (file) => replaceShared(file, 'x')],
  ['extended', (file) => extendShared(file, Buffer.from('x'), 0, 8)],
]

describe.each(WRITES)('a path that is %s', (_, work) => {
  it.each([
    ['a symlink', (file: string, outside: string) => fs.symlinkSync(`${outside}/file`, file), /a symlink/],
    ['a symlink to nothing', (file: string, outside: string) => fs.symlinkSync(`${outside}/new`, file), /a symlink/],
    ['a directory', (file: string) => fs.mkdirSync(file), /a directory/],
  ])('is never %s: the error names it, and nothing outside changes', (_kind, plant, kind) => {
    const { layout, outside } = workspace()
    plant(`${layout.ledgerFile}`, outside)
    expect(() => work(layout.ledgerFile)).toThrow(pathEscapeError(layout.ledgerFile, kind))
    expect(fs.readdirSync(outside)).toEqual(['file'])
    expect(fs.readFileSync(`${outside}/file`, 'utf8')).toBe('outside\n')
  })

  it('is never below a linked directory', () => {
    const { layout, outside } = workspace()
    fs.rmdirSync(layout.dir)
    fs.symlinkSync(outside, layout.dir)
    fs.writeFileSync(`${outside}/agent_trace.jsonl`, 'theirs\n')
    expect(() => work(layout.ledgerFile)).toThrow(pathEscapeError(layout.dir, /a symlink, not a directory/))
    expect(fs.readFileSync(`${outside}/agent_trace.jsonl`, 'utf8')).toBe('theirs\n')
  })

  it.runIf(process.getuid?.() === 0)('is never another user’s, unless the whole workspace is', () => {
    const { layout } = workspace()
    fs.writeFileSync(`${layout.ledgerFile}`, 'theirs\n\n')
    fs.chownSync(`${layout.ledgerFile}`, 4711, 4711)
    expect(() => work(layout.ledgerFile)).toThrow(/belongs to another user/)
    fs.chownSync(layout.root, 4711, 4711)
    fs.chownSync(layout.dir, 4711, 4711)
    expect(() => work(layout.ledgerFile)).not.toThrow()
  })
})

describe('.orchestration', () => {
  it('is created if it is missing, and refused if it is a link or a file', () => {
    const { layout, outside } = workspace()
    fs.rmdirSync(layout.dir)
    expect(hasOrchestration(layout)).toBe(false)
    makeOrchestration(layout)
    expect(hasOrchestration(layout)).toBe(true)
    fs.rmdirSync(layout.dir)
    fs.symlinkSync(outside, layout.dir)
    expect(() => hasOrchestration(layout)).toThrow(pathEscapeError(layout.dir, /a symlink/))
    expect(() => makeOrchestration(layout)).toThrow(pathEscapeError(layout.dir, /a symlink/))
    fs.rmSync(layout.dir)
    fs.writeFileSync(layout.dir, '')
    expect(() => hasOrchestration(layout)).toThrow(pathEscapeError(layout.dir, /a file/))
  })

  it.runIf(process.platform === 'linux')('that becomes a link while it is open leads nowhere else', () => {
    const { layout, outside } = workspace()
    inDirectory(layout.root, '.orchestration', (address) => {
      fs.renameSync(layout.dir, `${layout.root}/was`)
      fs.symlinkSync(outside, layout.dir)
      fs.writeFileSync(`${address}/new`, 'x')
    })
    expect(fs.readdirSync(outside)).toEqual(['file'])
    expect(fs.readdirSync(`${layout.root}/was`)).toEqual(['new'])
  })
})

it('.orchestration is opened by no other module, because its type does not fit node:fs', () => {
  const call = String.raw`\b(?:\w*(?:Sync|Regular|Small|Whole|Start|Durable|Onto|File|Dir|Tree|Name)|join)\([^()]*`
  const name = String.raw`(?:\$\{[^}]*\.(?:ledgerFile|policyFile|intentsFile|intentMap|templates|git\w+)\}|\.orchestration/)`
  const opens = new RegExp(call + name)
  for (const text of [`readFileSync(\`\${layout.ledgerFile}\`)`, "join(root, '.orchestration/policy.yaml')"])
    expect(opens.test(text)).toBe(true)
  // The command prints names; it opens nothing.
  const sources = filesBelow('src', /\.tsx?$/).filter((file) => !file.startsWith('src/cli/'))
  expect(sources.filter((file) => opens.test(fs.readFileSync(file, 'utf8')))).toEqual([])
})

describe('an error of the disk', () => {
  const failing = (code: string) => (address: string) => {
    const path = `${address}/sub/file`
    throw Object.assign(new Error(`${code}: it failed, mkdir '${path}'`), { code, path })
  }

  it('names the path in the workspace, not the address of a descriptor', () => {
    const { layout } = workspace()
    const path = `${layout.dir}/sub/file`
    expect(() => inDirectory(layout.root, '.orchestration', failing('EIO'))).toThrow(
      expect.objectContaining({ message: `EIO: it failed, mkdir '${path}'`, path, code: 'EIO' }),
    )
    expect(() => inDirectory(layout.root, '.orchestration/none', () => undefined)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`${layout.dir}/none`), code: 'ENOENT' }),
    )
  })

  it.each([
    ['EROFS', /^The disk is read-only\. Mount it for writing/],
    ['ENOSPC', /^The disk is full\. Free space/],
  ])('%s is reported with a fix', (code, hint) => {
    const { layout } = workspace()
    expect(() => inDirectory(layout.root, '', failing(code))).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    )
  })
})
