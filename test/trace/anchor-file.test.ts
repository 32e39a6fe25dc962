import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sha256hex } from '../../overlay/digest.js'
import { appendAnchors, newestAnchorsHave, readAnchors } from '../../src/trace/anchor-file.js'
import { linesOf } from '../../src/trace/anchor-lines.js'

const STEP = 256 * 1024
const ABOUT = { ledger: 'one', at: '2026-01-01T00:00:00.000Z', workspace: 'here', branch: 'main' }
const hashOf = (seq: number) => sha256hex(`${seq}`)

function anchorFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'escrowfs-anchors-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'anchors.jsonl')
}

it('rarely rewrites a file of many single anchors, and keeps each of them', () => {
  const file = anchorFile()
  let rewrites = 0
  let before = 0
  for (let seq = 1; seq <= 12_000; seq++) {
    appendAnchors(file, linesOf(ABOUT, [{ seq, hash: hashOf(seq) }]))
    const { size } = statSync(file)
    if (size < before) rewrites++
    before = size
  }
  const hashes = readAnchors(file).flatMap((line) => line.hashes)
  expect(hashes).toEqual(Array.from({ length: 12_000 }, (_, n) => hashOf(n + 1)))
  // One rewrite for each doubling of the kept anchors, not one for each append.
  const appended = 12_000 * linesOf(ABOUT, [{ seq: 1, hash: hashOf(1) }]).length
  expect(rewrites).toBeGreaterThan(1)
  expect(rewrites).toBeLessThan(appended / STEP / 1.5)
  const compactedCount = Number(/^\{"compacted":(\d+)\}\n/.exec(readFileSync(file, 'utf8'))?.[1])
  expect(statSync(file).size).toBeLessThan(2 * compactedCount + STEP)
})

it('finds the newest anchors without reading the whole file', () => {
  const file = anchorFile()
  expect(newestAnchorsHave(file)(hashOf(1))).toBe(false)
  appendAnchors(file, linesOf(ABOUT, [{ seq: 1, hash: hashOf(1) }]))
  expect(newestAnchorsHave(file)(hashOf(1))).toBe(true)
  const many = Array.from({ length: 5_000 }, (_, n) => ({ seq: n + 2, hash: hashOf(n + 2) }))
  appendAnchors(file, linesOf(ABOUT, many))
  expect(newestAnchorsHave(file)(hashOf(1))).toBe(false)
  expect(newestAnchorsHave(file)(hashOf(5_001))).toBe(true)
})
