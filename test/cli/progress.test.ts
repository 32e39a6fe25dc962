import { expect, it } from 'vitest'
import type { Io } from '../../src/cli/context.js'
import { progressOf, withProgress } from '../../src/cli/progress.js'
import { escrow, workspaceDir } from './harness.js'

function ioOf(more: Partial<Io> = {}) {
  const said: string[] = []
  const io: Io = {
    out: () => undefined,
    err: (text) => void said.push(text),
    ...{ cwd: '/', terminal: true, color: false, version: '1', columns: 20 },
    ...more,
  }
  return { io, said }
}

it('begins after a second, tells ten times a second at most, fits the line, and is gone at the end', () => {
  const { io, said } = ioOf()
  let at = 0
  const progress = progressOf(io, () => at)
  for (at = 0; at < 2_000; at += 10) progress.tell(`${at} of a great many changes`)
  expect(said).toHaveLength(10)
  expect(said[0]).toBe('\r1000 of a great man\x1b[K')
  progress.clear()
  expect(said.at(-1)).toBe('\r\x1b[K')
})

it.each([
  ['a script', { terminal: false }, 5_000],
  ['what is quick', {}, 900],
])('says nothing to or of %s', (_, more, last) => {
  const { io, said } = ioOf(more)
  let at = 0
  const progress = progressOf(io, () => at)
  progress.tell('begun')
  at = last
  progress.tell('under way')
  progress.clear()
  expect(said).toEqual([])
})

it('says nothing where the output goes into a pipe', () => {
  const { io, said } = ioOf()
  const { columns, ...piped } = io
  expect(columns).toBe(20)
  let at = 0
  const progress = progressOf(piped, () => at)
  at = 5_000
  progress.tell('under way')
  progress.clear()
  expect(said).toEqual([])
})

it('gives back what the work gives, or throws', async () => {
  const { io, said } = ioOf()
  expect(await withProgress(io, 'Reading', async () => 4)).toBe(4)
  await expect(withProgress(io, 'Reading', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(said).toEqual([])
})

it('escrow commit can be called off, and hears how it goes', async () => {
  const before = process.listenerCount('SIGINT')
  const { calls } = await escrow(workspaceDir(), ['commit', 's1'])
  expect(calls[2]).toEqual(['commit', { signal: expect.any(AbortSignal), onProgress: expect.any(Function) }])
  expect(process.listenerCount('SIGINT')).toBe(before)
})
