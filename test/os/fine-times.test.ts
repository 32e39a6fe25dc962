import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { keepsFineTimes } from '../../src/os/fine-times.js'

const SECOND = 1_000_000_000n

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'times-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

it.each([
  ['a fraction', [SECOND + 1n], true],
  ['a whole second by chance, then a fraction', [SECOND, SECOND + 1n], true],
  ['whole seconds twice by chance', [SECOND, SECOND, SECOND + 12_000_000n], true],
  ['whole seconds alone', [SECOND, SECOND, SECOND], false],
])('a file system that shows %s', (_, times, isFine) => {
  const dir = directory()
  const left = [...times]
  expect(keepsFineTimes(dir, () => left.shift() ?? 0n)).toBe(isFine)
  expect([left, readdirSync(dir)]).toEqual([[], []])
})

it('leaves a directory that cannot be written to the error of the next write', () => {
  expect(keepsFineTimes('/proc', () => SECOND)).toBe(true)
})
