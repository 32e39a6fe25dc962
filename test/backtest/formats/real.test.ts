import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { expectedCalls, readAll } from '../history.js'

/**
 * Histories that real clients wrote in a session with a scripted model: `test/clients/history.test.ts` records them.
 * Long texts are shortened.
 */
const REAL = join(import.meta.dirname, '../../fixtures/histories')
const CLIENTS = readdirSync(REAL)

it('there is a history of each client that the suites can drive', () => {
  expect(CLIENTS.map((name) => name.replace(/-[\d.]+$/, ''))).toEqual([
    'claude',
    'cline',
    'codex',
    'gemini',
    'opencode',
  ])
})

it.each(CLIENTS)('reads each call in the history of %s with its directory, and skips no line', (name) => {
  const { calls, counts } = readAll(join(REAL, name))
  const client = name.replace(/-[\d.]+$/, '')
  expect(calls.map(({ host, tool, cwd }) => [host, tool, cwd])).toEqual(expectedCalls(client, '/home/ada/shop'))
  expect(new Set(calls.map(({ session }) => session)).size).toBe(1)
  expect(counts).toMatchObject({ broken: 0, skippedFiles: 0, repeated: 0 })
})
