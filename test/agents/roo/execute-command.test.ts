import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRooTools, type RooToolResult } from '../../../src/agents/roo/index.js'
import { commandOutputs } from '../../../src/index.js'
import { stateOf } from '../../support/state.js'
import { metadataOf, recordsOf } from '../../support/workspace.js'
import { type Site, site } from '../../terminal/site.js'
import { run as runOnFake } from './fake-session.js'

const INTENTS = `active_intents:
  - {id: INT-001, name: Work, status: IN_PROGRESS, owned_scope: ["src/**"]}
`

interface Setup extends Site {
  call(name: string, args: Record<string, unknown>): Promise<RooToolResult>
}

async function setUpTools(): Promise<Setup> {
  const fixture = await site(undefined, INTENTS)
  const tools = createRooTools(fixture.session)
  return { ...fixture, call: (name, args) => tools.execute({ id: 'c', name, arguments: args }) }
}

const execute = ({ call }: Setup, command: string, more = {}) => call('execute_command', { command, ...more })

describe('execute_command', () => {
  it('returns what the host returns, with both outputs, and lists what it staged', async () => {
    const fixture = await setUpTools()
    const { content, isError } = await execute(fixture, 'echo one; echo two >&2', { cwd: 'src' })
    expect(isError).toBe(false)
    expect(content).toMatch(/^Command executed in terminal within working directory '.*\/src'\. /)
    expect(content).toMatch(/^one$/m)
    expect(content).toMatch(/^two$/m)
    const { content: second } = await execute(fixture, 'echo one; echo x > src/new.ts; cat src/new.ts')
    const expected = `Command executed in terminal within working directory '${fixture.root}'. Exit code: 0\nOutput:\none\nx\n`
    expect(second).toBe(`${expected}\n\nChanges, staged for review:\ncreated: src/new.ts`)
    expect(existsSync(`${fixture.root}/src/new.ts`)).toBe(false)
  })

  it('reports the exit code of a failing command, which is not a tool error', async () => {
    const { content, isError } = await execute(await setUpTools(), 'exit 3')
    expect(isError).toBe(false)
    expect(content).toContain('Command execution was not successful, inspect the cause and adjust as needed.')
    expect(content).toContain('Exit code: 3')
  })

  it('names the refused paths with reasons, and stages the rest', async () => {
    const fixture = await setUpTools()
    const { content } = await execute(fixture, 'echo y > src/a.ts; echo y > mail/m.ts')
    expect(content).toContain('refused (scope_violation): mail/m.ts')
    expect(content).toContain('Scope Violation: INT-001 is not authorized to edit mail/m.ts.')
    expect((await fixture.session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  it('is one call in the ledger, by the tool’s name', async () => {
    const fixture = await setUpTools()
    await execute(fixture, 'true')
    await fixture.session.flush()
    const calls = (await recordsOf(fixture.workspace)).map(metadataOf).filter(({ type }) => type === 'tool_call')
    expect(calls).toHaveLength(1)
    expect(JSON.stringify(calls)).toContain('execute_command')
  })

  it('is refused without an intent, and never runs', async () => {
    const fixture = await setUpTools()
    await fixture.session.selectIntent(null)
    const { denial } = await execute(fixture, 'echo > src/ran')
    expect(denial).toMatchObject({ reason: 'missing_intent_id', tool: 'execute_command' })
    expect((await fixture.session.changes()).changes).toEqual([])
  })

  it('is stopped after its timeout in seconds', async () => {
    const { content } = await execute(await setUpTools(), 'echo begun; sleep 60', { timeout: 0.4 })
    expect(content).toContain('stopped when its timeout ended')
    expect(content).toContain('begun')
  })

  it.each(['absent', 'src/a.ts/x'])('in %s reports a missing directory', async (cwd) => {
    const { content, isError } = await execute(await setUpTools(), 'true', { cwd })
    expect(isError).toBe(true)
    expect(content).toContain(`Working directory '${cwd}' does not exist.`)
  })

  it('never starts outside the workspace', async () => {
    const { denial, isError } = await execute(await setUpTools(), 'true', { cwd: '/' })
    expect([isError, denial?.reason]).toEqual([true, 'nothing_selected'])
  })
})

describe('read_command_output', () => {
  const long = (lines: number) => `seq -f 'line %g' ${lines}`

  async function artifact(fixture: Setup, command = long(3000)): Promise<string> {
    const { content } = await execute(fixture, command)
    return /Artifact ID: (\S+)/.exec(content)?.[1] ?? expect.unreachable(content)
  }

  it('keeps a long output, and returns a preview of its beginning', async () => {
    const fixture = await setUpTools()
    const { content } = await execute(fixture, long(3000))
    expect(content).toMatch(
      /^Command executed in '.*'\. Exit code: 0\n\nOutput \(\d+\.\dKB\) persisted\. Artifact ID: cmd-\d+\.txt\n/,
    )
    expect(content).toContain('Preview:\nline 1\nline 2\n')
    expect(content).toContain('Use read_command_output tool to view full output if needed.')
    expect(content.length).toBeLessThan(12_000)
  })

  it("reports the command's effects even if the output cannot be kept", async () => {
    const fixture = await setUpTools()
    writeFileSync(`${stateOf(fixture.root)}/sessions/agent/outputs`, 'in the way')
    const { content, isError } = await execute(fixture, `${long(3000)}; echo x > src/new.ts`)
    expect(isError).toBe(false)
    expect(content).toContain('could not be saved; this is its beginning.')
    expect(content).toContain('created: src/new.ts')
    expect(content).not.toContain('read_command_output')
  })

  it('pages by bytes, and numbers the lines as in the whole output', async () => {
    const fixture = await setUpTools()
    const id = await artifact(fixture)
    const whole = commandOutputs(fixture.session).read(id) ?? expect.unreachable()
    let text = ''
    for (let offset = 0; offset < whole.length; ) {
      const { content } = await fixture.call('read_command_output', { artifact_id: id, offset, limit: 10_000 })
      const [, start, end, state] = /Showing bytes (\d+)-(\d+) \| (TRUNCATED|COMPLETE)/.exec(content) ?? []
      expect([Number(start), state]).toEqual([offset, Number(end) === whole.length ? 'COMPLETE' : 'TRUNCATED'])
      const body = content.split('\n').slice(2)
      expect(Number(body[0]?.split('|')[0])).toBe(whole.toString('utf8', 0, offset).split('\n').length)
      text += body.map((line) => line.replace(/^ *\d+ \| /, '')).join('\n')
      offset = Number(end)
    }
    expect(text).toBe(whole.toString())
  })

  it('finds lines by a regular expression, case-insensitively, or by literal text if it is not one', async () => {
    const fixture = await setUpTools()
    const id = await artifact(fixture, `${long(3000)}; echo 'FAIL (here'`)
    const search = async (pattern: string) =>
      (await fixture.call('read_command_output', { artifact_id: id, search: pattern })).content
    expect(await search('LINE 29{2}$')).toContain('Total matches: 1 | Showing first 1\n\n  299 | line 299')
    expect(await search('fail (')).toContain(' 3001 | FAIL (here')
    expect(await search('absent')).toContain('No matches found for the search pattern.')
  })

  it.each([
    ['../../x', 'Invalid artifact_id'],
    ['cmd-1.txt/../owner', 'Invalid artifact_id'],
    ['cmd-1.txt', 'Artifact not found'],
  ])('%s is refused: %s', async (id, message) => {
    const { content, isError } = await (await setUpTools()).call('read_command_output', { artifact_id: id })
    expect([isError, content.includes(message)]).toEqual([true, true])
  })

  it('reports the size of the output for an offset outside of it', async () => {
    const fixture = await setUpTools()
    const id = await artifact(fixture)
    for (const offset of [-1, 10_000_000]) {
      const { content } = await fixture.call('read_command_output', { artifact_id: id, offset })
      expect(content).toMatch(/Invalid offset: -?\d+\. File size is \d+ bytes/)
    }
  })

  it('belongs to the session: another process of it can read it, another session cannot, and no workspace file is created', async () => {
    const fixture = await setUpTools()
    const id = await artifact(fixture)
    const other = await fixture.workspace.session({ id: 'other' })
    expect(commandOutputs(other).read(id)).toBeUndefined()
    expect((await fixture.call('read_file', { path: `.orchestration/sessions/agent/outputs/${id}` })).isError).toBe(
      true,
    )
    expect((await fixture.session.changes()).changes).toEqual([])
    await fixture.session.close()
    const again = await fixture.workspace.session({ id: 'agent' })
    expect(commandOutputs(again).read(id)?.subarray(0, 6).toString()).toBe('line 1')
  })

  it('keeps the latest fifty outputs', async () => {
    const fixture = await setUpTools()
    const outputs = commandOutputs(fixture.session)
    const names = Array.from({ length: 53 }, (_, index) => outputs.keep(Buffer.from(`${index}`)))
    expect(new Set(names).size).toBe(53)
    expect(names.slice(0, 3).map((name) => outputs.read(name))).toEqual([undefined, undefined, undefined])
    expect(outputs.read(names[3] ?? '')?.toString()).toBe('3')
    expect(readdirSync(`${stateOf(fixture.root)}/sessions/agent/outputs`)).toHaveLength(50)
  })

  it('fails without a session of escrowfs, with a denial record', async () => {
    const { content } = await runOnFake('read_command_output', { artifact_id: 'cmd-1.txt' })
    expect(JSON.parse(content)).toMatchObject({ reason: 'unsupported' })
  })
})
