import { mkdirSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { findHistories } from '../../src/backtest/find-files.js'
import { readLines } from '../../src/backtest/read-lines.js'
import { claudeLine, histories, lines, readAll } from './history.js'

it('counts broken lines and files, and continues', () => {
  const good = claudeLine('Bash', { command: 'ls' })
  const root = histories({
    'a.jsonl': `${lines([good])}{"type":"assistant","message":{"content":[{"type":"tool_use"\n\n{"cut\nno json\r\n{"type":"user"}\r\n${JSON.stringify(claudeLine('LS', {}))}`,
    'b.json': '[{"role":',
    'c.json': '3',
  })
  const { calls, counts } = readAll(root)
  expect(calls.map(({ tool }) => tool)).toEqual(['Bash', 'LS'])
  expect(counts).toMatchObject({ files: 3, lines: 6, broken: 4, skippedFiles: 0 })
})

it('accepts values of any type, and lines of any client', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              type: fc.constant('assistant'),
              message: fc.jsonValue(),
              payload: fc.jsonValue(),
              toolCalls: fc.jsonValue(),
              projectHash: fc.string(),
              metadata: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
      ),
      (values) => {
        const root = histories({ 'a.jsonl': values, 'b.json': JSON.stringify(values) })
        expect(readAll(root).counts.skippedFiles).toBe(0)
      },
    ),
    { numRuns: 100 },
  )
})

it('counts a call once if a client copied it into another file', () => {
  const line = claudeLine('Bash', { command: 'ls' })
  const { calls, counts } = readAll(histories({ 'a.jsonl': [line], 'b.jsonl': [line, claudeLine('LS', {})] }))
  expect([calls.length, counts.repeated]).toEqual([2, 1])
})

it('follows no symlink below the given paths, and reads no other files', () => {
  const root = histories({ 'a.jsonl': [], 'notes.txt': 'x', 'node_modules/b.jsonl': [], 'c.jsonl/d.jsonl': [] })
  symlinkSync('/', `${root}/all`)
  symlinkSync(`${root}/a.jsonl`, `${root}/link.jsonl`)
  mkdirSync(`${root}/empty`)
  expect(findHistories([root]).map(({ path }) => path.slice(root.length + 1))).toEqual(['a.jsonl', 'c.jsonl/d.jsonl'])
  expect(findHistories([`${root}/link.jsonl`])).toMatchObject([{ path: `${root}/a.jsonl` }])
  expect(() => findHistories([`${root}/absent`])).toThrow('absent cannot be read (ENOENT)')
})

it('reads lines of any length across chunks', () => {
  const texts = ['', 'a', 'x'.repeat((1 << 20) - 1), 'y'.repeat(1 << 20), 'z'.repeat((2 << 20) + 7), 'end']
  const root = histories({ 'a.jsonl': texts.join('\n') })
  const sizes: number[] = []
  const read = Array.from(
    readLines(`${root}/a.jsonl`, (bytes) => sizes.push(bytes)),
    (line) => line.toString(),
  )
  // A difference would print megabytes.
  expect(read.map((text) => [text.length, digest(text)])).toEqual(texts.map((text) => [text.length, digest(text)]))
  expect(sizes.at(-1)).toBe(texts.join('\n').length)
})
