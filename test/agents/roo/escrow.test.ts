import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRooTools, type RooToolResult } from '../../../src/agents/roo/index.js'
import type { Decide } from '../../../src/core/decision.js'
import { createBareFacade } from '../../support/facade.js'
import { fakeSession, get, inTemporaryDirectory, put } from './fake-session.js'

const place = inTemporaryDirectory()

function toolsOn(decide?: Decide): (name: string, args: Record<string, unknown>) => Promise<RooToolResult> {
  const tools = createRooTools(fakeSession(createBareFacade(place.root, decide).fs).session)
  return (name, args) => tools.execute({ id: 'c', name, arguments: args })
}

const steps: [string, Record<string, unknown>][] = [
  ['write_to_file', { path: 'new/deep/file.ts', content: 'new\n' }],
  ['apply_diff', { path: 'a.ts', diff: '<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE' }],
  ['edit', { file_path: 'a.ts', old_string: 'two', new_string: '2' }],
  ['edit_file', { file_path: 'made.ts', old_string: '', new_string: 'made\n' }],
  [
    'apply_patch',
    {
      patch:
        '*** Begin Patch\n*** Update File: b.ts\n*** Move to: moved/b.ts\n@@\n-b\n+B\n*** Delete File: c.ts\n*** End Patch',
    },
  ],
]

describe('on a staged view', () => {
  it('every tool reads what the others wrote, and the disk is unchanged', async () => {
    put('a.ts', 'one\r\ntwo\r\n')
    put('b.ts', 'b\n')
    put('c.ts', 'c\n')
    const run = toolsOn()
    for (const [name, args] of steps) expect(await run(name, args)).toMatchObject({ isError: false })
    expect((await run('read_file', { path: 'a.ts' })).content).toContain('1 | 1\n2 | 2')
    expect((await run('search_files', { path: '.', regex: '^(new|B|made|c)$' })).content.match(/^# .*$/gm)).toEqual([
      '# made.ts',
      '# moved/b.ts',
      '# new/deep/file.ts',
    ])
    const listed = (await run('list_files', { path: '.', recursive: true })).content.split('\n')
    expect(listed).toEqual(['a.ts', 'made.ts', 'moved/', 'moved/b.ts', 'new/', 'new/deep/', 'new/deep/file.ts'])
    expect(readdirSync('.')).toEqual(['a.ts', 'b.ts', 'c.ts'])
    expect([get('a.ts'), get('b.ts')]).toEqual(['one\r\ntwo\r\n', 'b\n'])
  })

  it('a refusal by the fs itself reaches the model as a record', async () => {
    put('a.ts', 'one\ntwo\n')
    put('b.ts', 'b\n')
    put('c.ts', 'c\n')
    const run = toolsOn(({ effect, path }) => {
      if (effect === 'read' || effect === 'mkdir') return { verdict: 'allow' }
      return { verdict: 'deny', denial: { reason: 'scope_violation', message: 'Scope Violation: no.', file: path } }
    })
    for (const [tool, args] of steps) {
      const result = await run(tool, args)
      expect(result.denial).toMatchObject({ type: 'tool_error', tool, reason: 'scope_violation' })
      expect(JSON.parse(result.content)).toEqual(result.denial)
    }
    expect((await run('read_file', { path: 'b.ts' })).isError).toBe(false)
    expect(existsSync('new')).toBe(false)
  })

  it('a hidden file is absent for every tool', async () => {
    put('secret.ts', 'needle\n')
    const run = toolsOn(({ path }) =>
      path === 'secret.ts'
        ? { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
        : { verdict: 'stage' },
    )
    expect((await run('read_file', { path: 'secret.ts' })).content).toContain('File not found')
    expect((await run('list_files', { path: '.' })).content).toBe('No files found.')
    expect((await run('search_files', { path: '.', regex: 'needle' })).content).toBe('Found 0 results.')
  })
})
