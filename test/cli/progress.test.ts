import { expect, it } from 'vitest'
import type { Io } from '../../src/cli/context.js'
import { createProgress, withProgress } from '../../src/cli/progress.js'
import { escrow, workspaceDir } from './harness.js'

function ioOf(more: Partial<Io> = {}) {
  const written: string[] = []
  const io: Io = {
    out: () => undefined,
    err: (text) => void written.push(text),
    ...{ cwd: '/', terminal: true, color: false, version: '1', columns: 20 },
    ...more,
  }
  return { io, output: written }
}

it('starts after a second, updates at most ten times a second, fits the line, and is cleared at the end', () => {
  const { io, output } = ioOf()
  let at = 0
  const progress = createProgress(io, () => at)
  for (at = 0; at < 2_000; at += 10) progress.show(`${at} of a great many changes`)
  expect(output).toHaveLength(10)
  expect(output[0]).toBe('\r1000 of a great man\x1b[K')
  progress.clear()
  expect(output.at(-1)).toBe('\r\x1b[K')
})

it.each([
  ['a script', { terminal: false }, 5_000],
  ['quick work', {}, 900],
])('shows nothing for %s', (_, more, last) => {
  const { io, output } = ioOf(more)
  let at = 0
  const progress = createProgress(io, () => at)
  progress.show('begun')
  at = last
  progress.show('under way')
  progress.clear()
  expect(output).toEqual([])
})

it('shows nothing if the output is a pipe', () => {
  const { io, output } = ioOf()
  const { columns, ...piped } = io
  expect(columns).toBe(20)
  let at = 0
  const progress = createProgress(piped, () => at)
  at = 5_000
  progress.show('under way')
  progress.clear()
  expect(output).toEqual([])
})

it('returns the result of the work, or rejects with its error', async () => {
  const { io, output } = ioOf()
  expect(await withProgress(io, 'Reading', async () => 4)).toBe(4)
  await expect(withProgress(io, 'Reading', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(output).toEqual([])
})

it('escrow commit passes a signal and a progress callback', async () => {
  const before = process.listenerCount('SIGINT')
  const { calls } = await escrow(workspaceDir(), ['commit', 's1'])
  expect(calls[2]).toEqual(['commit', { signal: expect.any(AbortSignal), onProgress: expect.any(Function) }])
  expect(process.listenerCount('SIGINT')).toBe(before)
})
