import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DENIAL } from '../../../src/agents/mcp/index.js'
import { TOOLS } from '../../../src/agents/mcp/tools.js'
import type { Human } from '../../../src/hooks/index.js'
import { probeNow } from '../../../src/terminal/index.js'
import { INTENTS, metadataOf, recordsOf, startSession, testWorkspace } from '../../support/workspace.js'
import { callerOf, clientOn, textOf } from './fixture.js'

async function setUpTools(policy = '', human?: Human) {
  const project = testWorkspace()
  if (policy !== '') project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  const session = await startSession(workspace)
  return { project, workspace, session, call: callerOf(await clientOn(session, human ? { human } : {})) }
}

describe('a directory with very many entries', () => {
  it('is listed in pages, each with the way to the next', async () => {
    const { project, call } = await setUpTools()
    mkdirSync(`${project.root}/src/many`)
    for (let i = 0; i < 10_050; i++) writeFileSync(`${project.root}/src/many/f${String(i).padStart(5, '0')}`, '')
    for (const tool of ['list_directory', 'list_directory_with_sizes']) {
      const seen = new Set<string>()
      for (const offset of [0, 5_000, 10_000]) {
        const lines = textOf(await call(tool, { path: 'src/many', offset })).split('\n')
        for (const line of lines) if (line.startsWith('[FILE]')) seen.add(line)
        const notes = lines.filter((line) => line.startsWith('[NOTE]'))
        expect(notes).toEqual(offset === 10_000 ? [] : [expect.stringContaining(`offset ${offset + 5_000} for more`)])
      }
      expect(seen.size).toBe(10_050)
    }
    expect(textOf(await call('search_files', { path: 'src', pattern: '**/f*' }))).toContain('[NOTE] The first 10000')
    const tree = await call('directory_tree', { path: '.' })
    const nodes: { name: string; children?: { name: string; children?: unknown[] }[] }[] = JSON.parse(textOf(tree))
    const many = nodes.find(({ name }) => name === 'src')?.children?.find(({ name }) => name === 'many')
    expect(many?.children?.length).toBeGreaterThan(9_000)
    expect(many?.children?.length).toBeLessThan(10_000)
    expect(tree.content[1]).toMatchObject({ text: expect.stringContaining('src/many') })
  })
})

describe('directories of very many levels', () => {
  it('are shown and searched down to 200 of them, with a note', async () => {
    const { project, call } = await setUpTools()
    mkdirSync(`${project.root}/src/${'d/'.repeat(230)}`, { recursive: true })
    writeFileSync(`${project.root}/src/${'d/'.repeat(190)}near.txt`, '')
    writeFileSync(`${project.root}/src/${'d/'.repeat(220)}far.txt`, '')
    const found = textOf(await call('search_files', { path: 'src', pattern: '**/*.txt' })).split('\n')
    expect(found).toEqual([expect.stringMatching(/near\.txt$/), expect.stringContaining('200 levels')])
    const none = textOf(await call('search_files', { path: 'src', pattern: '**/*.none' })).split('\n')
    expect(none).toEqual(['No matches found', expect.stringContaining('200 levels')])
    const tree = await call('directory_tree', { path: 'src' })
    expect([textOf(tree).includes('near.txt'), textOf(tree).includes('far.txt')]).toEqual([true, false])
    expect(tree.content[1]).toMatchObject({ text: expect.stringContaining('200 levels') })
  })

  it.each([
    ['search_files', { path: '.', pattern: '**/x' }],
    ['directory_tree', { path: '.' }],
  ])('%s ends when the client cancels it', async (tool, args) => {
    const { session } = await setUpTools()
    const found = TOOLS.find(({ name }) => name === tool)
    const plan = await found?.plan(args, session, { signal: AbortSignal.abort(new Error('cancelled')) })
    await expect(plan?.run(session)).rejects.toThrow('cancelled')
  })
})

describe('a file that no answer could contain', () => {
  it('is refused at once, and so are too many of its lines', async () => {
    const { project, call } = await setUpTools()
    project.write('src/huge.txt', 'first\n')
    truncateSync(`${project.root}/src/huge.txt`, 50 * 1024 * 1024)
    for (const [tool, args] of [
      ['read_text_file', {}],
      ['read_text_file', { tail: 1 }],
      ['read_file', {}],
      ['read_media_file', {}],
    ] as const) {
      const answer = await call(tool, { path: 'src/huge.txt', ...args })
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('at most 32 MiB')])
    }
    expect(textOf(await call('read_text_file', { path: 'src/huge.txt', head: 1 }))).toBe('first')
  })
})

describe('one file in many arguments', () => {
  it('is read until the result is full', async () => {
    const { project, call } = await setUpTools()
    project.write('src/big.txt', 'a'.repeat(3 * 1024 * 1024))
    const parts = textOf(await call('read_multiple_files', { paths: Array(8).fill('src/big.txt') })).split('\n---\n')
    expect(parts.map((part) => part.includes('at most 16 MiB'))).toEqual([
      ...Array(5).fill(false),
      ...Array(3).fill(true),
    ])
  })
})

describe('arguments that would take hours', () => {
  const callAndReadError = async (call: ReturnType<typeof callerOf>, tool: string, args: Record<string, unknown>) => {
    const answer = await call(tool, args)
    return [answer.isError, textOf(answer)]
  }

  it('many globs with many alternatives are refused after some seconds', async () => {
    const { call } = await setUpTools()
    const excludePatterns = Array.from({ length: 30 }, () => '{1..100000000}')
    for (const [tool, more] of [
      ['directory_tree', {}],
      ['search_files', { pattern: '*' }],
    ] as const) {
      const found = await callAndReadError(call, tool, { path: '.', excludePatterns, ...more })
      expect(found).toEqual([true, expect.stringContaining('Matching took more than')])
    }
  }, 40_000)

  it.each([
    ['text', 'a'.repeat(600_000), `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`],
    ['lines', 'a\n'.repeat(100_000), `b\n${'a \n'.repeat(50_000)}`],
  ])('an old %s that almost matches everywhere is searched in one pass', async (_what, content, oldText) => {
    const { project, call } = await setUpTools()
    project.write('src/long.txt', content)
    const [isError, text] = await callAndReadError(call, 'edit_file', {
      path: 'src/long.txt',
      edits: [{ oldText, newText: '' }],
    })
    expect([isError, String(text).slice(0, 40)]).toEqual([true, expect.stringContaining('Could not find exact match')])
  })

  it('an edit of very many lines is applied, and its diff is omitted', async () => {
    const { project, call } = await setUpTools()
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}\n`).join('')
    project.write('src/long.txt', lines('old'))
    const edits = [{ oldText: lines('old'), newText: lines('new') }]
    const answer = await call('edit_file', { path: 'src/long.txt', edits })
    expect(textOf(answer)).toContain('More than 4000 lines changed')
    expect(textOf(await call('read_text_file', { path: 'src/long.txt' }))).toBe(lines('new'))
  })
})

describe('concurrent edits', () => {
  it('are all applied', async () => {
    const { project, call } = await setUpTools()
    project.write('src/n.txt', Array.from({ length: 40 }, (_, i) => `<${i}>\n`).join(''))
    const edit = (i: number) =>
      call('edit_file', { path: 'src/n.txt', edits: [{ oldText: `<${i}>`, newText: `[${i}]` }] })
    for (const { isError } of await Promise.all(Array.from({ length: 40 }, (_, i) => edit(i))))
      expect(isError).toBeUndefined()
    expect(textOf(await call('read_text_file', { path: 'src/n.txt' }))).not.toContain('<')
  })

  it('are refused if the file has changed since it was read', async () => {
    const { project, call } = await setUpTools()
    await call('read_text_file', { path: 'src/a.ts' })
    project.write('src/a.ts', 'a one\nby a person\n')
    const edit = { path: 'src/a.ts', edits: [{ oldText: 'a one', newText: 'a 1' }] }
    await call('edit_file', { ...edit, dryRun: true })
    expect((await call('edit_file', edit))._meta?.[DENIAL]).toMatchObject({ reason: 'stale_file' })
    await call('read_text_file', { path: 'src/a.ts' })
    expect((await call('edit_file', edit)).isError).toBeUndefined()
  })

  it('are refused for a file that is not UTF-8 text', async () => {
    const { project, session, call } = await setUpTools()
    writeFileSync(`${project.root}/src/bin`, Buffer.from([0x61, 0xff, 0x62]))
    const result = await call('edit_file', { path: 'src/bin', edits: [{ oldText: 'a', newText: 'A' }] })
    expect([result.isError, textOf(result)]).toEqual([true, 'src/bin is not a UTF-8 text file.'])
    expect((await session.changes()).changes).toEqual([])
  })
})

describe('policy.yaml', () => {
  it('asks a person before each call that changes something, with `approval.modal: all`', async () => {
    const questions: string[] = []
    const human: Human = async ({ tool, targets }) => {
      questions.push(`${tool} ${targets.join()}`)
      return { approved: targets[0] !== 'src/b.ts', words: 'Not that one.' }
    }
    const { call } = await setUpTools('approval: {modal: all}\n', human)
    const write = (path: string) => call('write_file', { path, content: 'x\n' })
    expect((await write('src/a.ts')).isError).toBeUndefined()
    expect((await write('src/b.ts'))._meta?.[DENIAL]).toMatchObject({ reason: 'user_rejected' })
    await call('read_text_file', { path: 'src/b.ts' })
    await call('edit_file', { path: 'src/a.ts', edits: [], dryRun: true })
    expect(questions).toEqual(['write_file src/a.ts', 'write_file src/b.ts'])
    const alone = await setUpTools('approval: {modal: all}\n')
    expect((await alone.call('write_file', { path: 'src/a.ts', content: '' }))._meta?.[DENIAL]).toBeDefined()
  })

  it('asks a person after consecutive refusals', async () => {
    const kinds: string[] = []
    const { call } = await setUpTools('gate: {breaker: 2}\n', async ({ kind }) => void kinds.push(kind))
    for (let i = 0; i < 3; i++) await call('write_file', { path: 'mail/m.ts', content: '' })
    expect(kinds).toEqual(['breaker'])
  })

  it('requires a class from the agent, with `gate.require_mutation_class`', async () => {
    const { call } = await setUpTools('gate: {require_mutation_class: true}\n')
    const write = { path: 'src/a.ts', content: 'x\n' }
    expect((await call('write_file', write))._meta?.[DENIAL]).toMatchObject({ reason: 'missing_mutation_class' })
    expect((await call('write_file', { ...write, mutation_class: 'INTENT_EVOLUTION' })).isError).toBeUndefined()
  })

  it('requires an intent for every tool, with `gate.tools: all`', async () => {
    const { call } = await setUpTools('gate: {tools: all}\n')
    await call('select_active_intent', { intent_id: null })
    expect((await call('read_text_file', { path: 'src/a.ts' }))._meta?.[DENIAL]).toMatchObject({
      reason: 'missing_intent_id',
    })
    expect((await call('select_active_intent', { intent_id: 'INT-001' })).isError).toBeUndefined()
    expect((await call('read_text_file', { path: 'src/a.ts' })).isError).toBeUndefined()
  })
})

describe('execute_command', () => {
  it('runs in a sandbox and stages its changes; without a sandbox it is refused', async () => {
    const { project, call } = await setUpTools()
    const result = await call('execute_command', {
      command: 'echo two > src/a.ts; echo x > mail/m.ts; echo said; exit 3',
    })
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    if ((await probeNow()).every(({ ok }) => ok)) {
      expect(result.structuredContent).toMatchObject({
        exitCode: 3,
        stdout: 'said\n',
        refused: [{ path: 'mail/m.ts' }],
      })
      expect(textOf(await call('read_text_file', { path: 'src/a.ts' }))).toBe('two\n')
    } else expect(result.isError).toBe(true)
  })

  it('needs an intent', async () => {
    const { workspace, call } = await setUpTools()
    await call('select_active_intent', { intent_id: null })
    expect((await call('execute_command', { command: 'true' }))._meta?.[DENIAL]).toMatchObject({
      reason: 'missing_intent_id',
    })
    await workspace.close()
  })
})

describe('the tools that only escrowfs has', () => {
  it('run the checks of the intent, and return their results to the agent', async () => {
    const project = testWorkspace(
      undefined,
      INTENTS.replace('Integers only]', 'Integers only]\n    acceptance_criteria: [{run: "cat src/a.ts; exit 3"}]'),
    )
    const workspace = await project.open()
    const session = await startSession(workspace, 'agent')
    const call = callerOf(await clientOn(session))
    expect(textOf(await call('run_checks'))).toMatch(/nothing to check/)
    await call('write_file', { path: 'src/a.ts', content: 'x\n' })
    expect(textOf(await call('run_checks'))).toBe('failed: cat src/a.ts; exit 3 (INT-001, exit code 3)\nx')
    const { checks } = await (await workspace.review('agent')).checks()
    expect(checks).toMatchObject([{ state: 'failed', evidence: { askedBy: { session: 'agent' } } }])
    // The evidence is stored where the agent cannot write.
    const forged = await call('write_file', { path: '.orchestration/checks.json', content: '{}' })
    expect(forged._meta?.[DENIAL]).toMatchObject({ reason: 'protected_path' })
  })

  it('show, revert and restore a snapshot, each as its own call in the ledger', async () => {
    const { project, workspace, session, call } = await setUpTools()
    await call('write_file', { path: 'src/a.ts', content: 'x\n' })
    const diff = textOf(await call('show_staged_changes'))
    expect(diff).toContain('src/a.ts (modify, pending)')
    expect((await call('revert_staged_changes')).isError).toBeUndefined()
    expect((await session.changes()).changes).toEqual([])
    const last = (await session.snapshots()).findLast(({ tool }) => tool === 'revert_staged_changes')
    await call('travel_to_snapshot', { snapshot_id: last?.id ?? '' })
    expect((await session.changes()).changes).toHaveLength(1)
    await call('request_scope_expansion', { paths: ['mail/**'], why: 'the letter' })
    expect(await (await workspace.review('agent')).questions()).toMatchObject([{ kind: 'scope', globs: ['mail/**'] }])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    await session.flush()
    const tools = (await recordsOf(workspace))
      .map(metadataOf)
      .flatMap(({ type, tool }) => (type === 'tool_call' ? [tool] : []))
    expect(tools).toHaveLength(5)
  })
})
