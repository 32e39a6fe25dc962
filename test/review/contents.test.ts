import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { digest } from '../../overlay/digest.js'
import { openContents } from '../../src/review/contents.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'escrow-contents-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('stores each content once, readable only by its owner, and returns it', () => {
  const contents = openContents(join(root, 'edits'))
  const key = contents.keep(Buffer.from('a'))
  expect(contents.keep(Buffer.from('a'))).toBe(key)
  expect(Buffer.from(openContents(join(root, 'edits')).read(key)).toString()).toBe('a')
  const [name = '', ...others] = readdirSync(join(root, 'edits'))
  expect(others).toEqual([])
  expect(statSync(join(root, 'edits', name)).mode & 0o777).toBe(0o600)
})

it('reports a content that is missing or changed', () => {
  const contents = openContents(root)
  const refused = expect.objectContaining({ reason: 'ledger_corrupt' })
  expect(() => contents.read(digest('none'))).toThrow(refused)
  const key = contents.keep(Buffer.from('a'))
  writeFileSync(join(root, key.slice(7)), 'b')
  expect(() => contents.read(key)).toThrow(refused)
})
