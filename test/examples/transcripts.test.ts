import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readTranscripts } from '../../examples/demo/transcript.js'

describe("the demo's transcripts", () => {
  const steps = readTranscripts('examples/transcripts').flat()
  const calls = steps.filter((step) => 'agent' in step)

  it('have valid calls of each edit tool', () => {
    const done = new Set(calls.filter((call) => call.expect.outcome === 'ok').map((call) => call.tool))
    for (const tool of [
      'write_to_file',
      'apply_diff',
      'edit',
      'search_and_replace',
      'search_replace',
      'edit_file',
      'apply_patch',
    ]) {
      expect(done).toContain(tool)
    }
  })

  it('have at least ten attacks, at least one of each kind', () => {
    const refused = calls.filter((call) => call.expect.outcome === 'denied').map((call) => call.expect.reason)
    expect(refused.length).toBeGreaterThanOrEqual(10)
    expect(refused).not.toContain(undefined)
    for (const reason of [
      'missing_intent_id',
      'intent_not_active',
      'scope_violation',
      'path_escape',
      'protected_path',
      'stale_file',
    ]) {
      expect(refused).toContain(reason)
    }
  })

  it('have a unique id for each call', () => {
    expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length)
  })
})

describe('readTranscripts', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'escrowfs-transcripts-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('merges files by step number, and groups equal numbers', () => {
    const lookEntry = (at: number, path: string) => JSON.stringify({ at, person: 'look-at-disk', path })
    writeFileSync(join(directory, 'a.jsonl'), `${lookEntry(1, 'a1')}\n${lookEntry(3, 'a3')}\n`)
    writeFileSync(join(directory, 'b.jsonl'), `${lookEntry(2, 'b2')}\n${lookEntry(3, 'b3')}\n`)
    const paths = readTranscripts(directory).map((group) => group.map((step) => ('path' in step ? step.path : '')))
    expect(paths).toEqual([['a1'], ['b2'], ['a3', 'b3']])
  })

  it('names the line of an invalid step', () => {
    writeFileSync(
      join(directory, 'a.jsonl'),
      '{"at":1,"person":"look-at-disk","path":"x"}\n{"at":2,"person":"sings"}\n',
    )
    expect(() => readTranscripts(directory)).toThrow('a.jsonl:2')
  })
})
