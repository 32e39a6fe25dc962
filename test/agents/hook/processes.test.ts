import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLAUDE_EVENTS } from '../../../src/agents/claude/index.js'
import { compileOnce } from '../../support/compiled.js'
import { stateOf } from '../../support/state.js'
import {
  INTENTS,
  metadataOf,
  recordsOf,
  startSession,
  type TestWorkspace,
  testWorkspace,
} from '../../support/workspace.js'
import { call, fieldsOf } from './setup.js'

/** The hooks as clients run them: as processes that read an event and exit. */

const ESCROW = `${compileOnce()}/test/children/escrow.js`
type Client = 'claude' | 'cline' | 'codex' | 'gemini' | 'opencode'

interface HookResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

async function hook(client: Client, text: string, { root }: TestWorkspace, before = ''): Promise<HookResult> {
  const { ESCROW_SESSION, ESCROW_SESSION_ID, ESCROW_INTENT_ID, CLAUDE_PROJECT_DIR, ...env } = process.env
  const line = `${before}exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', line, process.execPath, ESCROW, 'hook', client], { cwd: root, env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    output.err += String(chunk)
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  const [code] = await once(child, 'close')
  return { code, ...output }
}

const NAMED = `active_intent_id: INT-001\n${INTENTS}`
const place = () => testWorkspace(undefined, NAMED)

const claudeEvent = (root: string, hook_event_name: string, more: object) =>
  JSON.stringify({ session_id: 's1', cwd: root, hook_event_name, ...more })
const write = (content = 'x') => call('Write', { file_path: 'src/a.ts', content })
const clineEvent = (root: string, content = 'x') =>
  JSON.stringify({
    ...{ hookName: 'PreToolUse', taskId: 's1', workspaceRoots: [root] },
    preToolUse: { toolName: 'write_to_file', parameters: { path: 'src/a.ts', content } },
  })

/** How Claude Code interprets a hook's end: exit 0 with one JSON object, or exit 2 with empty stdout. */
function claudeDecision({ code, out, err }: HookResult): unknown {
  if (code === 2) {
    expect(out).toBe('')
    expect(err).not.toBe('')
    return 'deny'
  }
  expect(code).toBe(0)
  const answer = fieldsOf(JSON.parse(out))
  const output = fieldsOf(answer.hookSpecificOutput)
  return output.permissionDecision ?? fieldsOf(output.decision).behavior
}

/** How Cline interprets it: by `cancel` in the JSON, ignoring the exit code. */
function clineBlocks({ out }: HookResult): unknown {
  return fieldsOf(JSON.parse(out)).cancel
}

describe('a hook process', () => {
  it.each(CLAUDE_EVENTS)(
    'answers %s with one JSON object or blocks it, and never grants a tool that writes',
    async (event) => {
      const project = place()
      const ended = await hook(
        'claude',
        claudeEvent(project.root, event, { ...write(), name: 'w', prompt: 'x' }),
        project,
      )
      expect(claudeDecision(ended)).not.toBe('allow')
      if (['PreToolUse', 'PermissionRequest', 'WorktreeCreate'].includes(event))
        expect(claudeDecision(ended)).toBe('deny')
      if (ended.code === 0) expect(ended.out.trimEnd().split('\n')).toHaveLength(1)
    },
  )

  it.each(['', '{', 'nothing', '{"hook_event_name":"PreToolUse"}', '[1]'])(
    'blocks on invalid input: %j',
    async (text) => {
      const project = place()
      expect(claudeDecision(await hook('claude', text, project))).toBe('deny')
      expect(clineBlocks(await hook('cline', text, project))).toBe(true)
    },
  )

  it('reads an event of 10 MB', async () => {
    const project = place()
    const content = 'ä\n'.repeat(5_000_000 / 1.5)
    expect(claudeDecision(await hook('claude', claudeEvent(project.root, 'PreToolUse', write(content)), project))).toBe(
      'deny',
    )
    expect(clineBlocks(await hook('cline', clineEvent(project.root, content), project))).toBe(true)
    expect(claudeDecision(await hook('claude', `${'['.repeat(10_000_000)}`, project))).toBe('deny')
  })

  it('still blocks on a full disk', async () => {
    const project = place()
    // No file of this process may grow, which fails like a full disk with another code.
    const full = "trap '' XFSZ; ulimit -f 0; "
    expect(claudeDecision(await hook('claude', claudeEvent(project.root, 'PreToolUse', write()), project, full))).toBe(
      'deny',
    )
    expect(clineBlocks(await hook('cline', clineEvent(project.root), project, full))).toBe(true)
  })

  it('still blocks if the session is damaged or never existed', async () => {
    const project = place()
    mkdirSync(`${stateOf(project.root)}/sessions/s1`, { recursive: true })
    for (const name of ['stage.log', 'review.jsonl', 'owner', 'claim.json']) {
      writeFileSync(`${stateOf(project.root)}/sessions/s1/${name}`, '{"what": is this\n{}\n')
      expect(claudeDecision(await hook('claude', claudeEvent(project.root, 'PreToolUse', write()), project))).toBe(
        'deny',
      )
      expect(clineBlocks(await hook('cline', clineEvent(project.root), project))).toBe(true)
    }
  })

  it('judges while another process holds the session', async () => {
    const project = place()
    await startSession(await project.open(), 's1', 'INT-002')
    const ended = await hook('claude', claudeEvent(project.root, 'PreToolUse', write()), project)
    expect(ended.out).toContain('scope_violation')
    expect(clineBlocks(await hook('cline', clineEvent(project.root), project))).toBe(true)
  })

  it('does not take a variable alone as proof of a mount', async () => {
    const project = place()
    const set = 'export ESCROW_SESSION=s1 ESCROW_INTENT_ID=INT-001; '
    expect(claudeDecision(await hook('claude', claudeEvent(project.root, 'PreToolUse', write()), project, set))).toBe(
      'deny',
    )
    expect(clineBlocks(await hook('cline', clineEvent(project.root), project, set))).toBe(true)
  })

  it('reports wrong usage, which blocks, for an unknown client', async () => {
    const project = place()
    const ended = spawnSync(process.execPath, [ESCROW, 'hook', 'emacs'], {
      cwd: project.root,
      input: '{}',
      encoding: 'utf8',
    })
    expect([ended.status, ended.stdout]).toEqual([2, ''])
  })
})

describe.each([
  ['codex', '"permissionDecision":"deny"'],
  ['gemini', '"decision":"deny"'],
  ['opencode', '"go":false'],
] as const)('a hook process of %s', (client, denial) => {
  const event = (root: string, content = 'x') => {
    if (client === 'opencode')
      return JSON.stringify({
        ...{ event: 'tool.execute.before', directory: root, sessionID: 's1', tool: 'write' },
        args: { filePath: 'src/a.ts', content },
      })
    const patch = { command: `*** Begin Patch\n*** Add File: src/new.ts\n+${content}\n*** End Patch` }
    return client === 'codex'
      ? claudeEvent(root, 'PreToolUse', call('apply_patch', patch))
      : claudeEvent(root, 'BeforeTool', call('write_file', { file_path: 'src/a.ts', content }))
  }

  it('blocks invalid input by code 2, with a message on stderr and empty stdout', async () => {
    const project = place()
    for (const text of ['', '{', '[1]', '{"hook_event_name":"PreToolUse"}', '['.repeat(10_000_000)]) {
      const { code, out, err } = await hook(client, text, project)
      expect([code, out]).toEqual([2, ''])
      expect(err.trim()).not.toBe('')
    }
  })

  it('blocks an event of 10 MB, on a full disk, in a damaged session, and outside of a mount that a variable claims', async () => {
    const project = place()
    const expectDenied = async (text: string, before = '') => {
      const { code, out, err } = await hook(client, text, project, before)
      if (code === 2) expect([out, err.trim() === '']).toEqual(['', false])
      else expect([code, out.trimEnd().split('\n').length, out]).toEqual([0, 1, expect.stringContaining(denial)])
    }
    await expectDenied(event(project.root))
    await expectDenied(event(project.root, 'ä'.repeat(5_000_000)))
    await expectDenied(event(project.root), "trap '' XFSZ; ulimit -f 0; ")
    await expectDenied(event(project.root), 'export ESCROW_SESSION=s1 ESCROW_INTENT_ID=INT-001; ')
    mkdirSync(`${stateOf(project.root)}/sessions/s1`, { recursive: true })
    writeFileSync(`${stateOf(project.root)}/sessions/s1/stage.log`, '{"what": is this\n{}\n')
    await expectDenied(event(project.root))
  })
})

describe("inside of a session's mount", () => {
  it('passes writes that the session allows, and refuses others with the same message', async () => {
    const project = place()
    // Commands have their own /tmp, and the tests may run from there.
    project.write('.orchestration/policy.yaml', `outside: {"${realpathSync(`${ESCROW}/../../../../../..`)}": allow}\n`)
    const script = `${project.root}/events`
    const events = [
      ['claude', claudeEvent(project.root, 'PreToolUse', write())],
      ['claude', claudeEvent(project.root, 'PreToolUse', call('Write', { file_path: 'README.md', content: '' }))],
      ['claude', claudeEvent(project.root, 'PreToolUse', call('Bash', { command: 'ls' }))],
      ['claude', claudeEvent(project.root, 'SessionStart', {})],
      ['cline', clineEvent(project.root)],
    ] as const
    mkdirSync(script)
    events.forEach(([, text], index) => {
      writeFileSync(`${script}/${index}`, text)
    })
    const lines = events.map(([client], index) => `"${process.execPath}" "${ESCROW}" hook ${client} < events/${index}`)
    const session = await startSession(await project.open(), 'r1')
    const { stdout, stderr, exitCode } = await session.exec(lines.join('; '))
    expect([stderr, exitCode]).toEqual(['', 0])
    const [may, not = '', bash, start, cline] = stdout.trimEnd().split('\n')
    expect(may).toBe('{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}')
    expect(not).toContain('Scope Violation: INT-001 is not authorized to edit README.md')
    expect(bash).toBe('{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}')
    expect(start).toContain('inside an escrow session')
    expect(cline).toBe('{"cancel":false,"contextModification":""}')
    await session.flush()
    const denied = (await recordsOf(await project.open())).map(metadataOf).filter(({ type }) => type === 'denied')
    // The hook cannot write the ledger in the mount: it reports the denial to the session's owner.
    expect(denied.map(({ reason, path, tool_name, reported }) => [reason, path, tool_name, reported])).toEqual([
      ['scope_violation', 'README.md', 'Write', true],
    ])
    rmSync(script, { recursive: true })
  })

  it("an agent that runs inside gets reviewers' feedback, once", async () => {
    const project = place()
    project.write('.orchestration/policy.yaml', `outside: {"${realpathSync(`${ESCROW}/../../../../../..`)}": allow}\n`)
    const workspace = await project.open()
    const session = await startSession(workspace, 'r1')
    session.fs.writeFileSync('src/a.ts', 'wrong\n')
    await session.flush()
    writeFileSync(
      `${project.root}/event`,
      claudeEvent(project.root, 'PostToolUse', call('Write', { file_path: 'src/a.ts' })),
    )
    const hook = `"${process.execPath}" "${ESCROW}" hook claude < event`
    const script = `until [ -s /run/escrow/words ]; do sleep 0.05; done; ${hook} > src/first; ${hook} > src/second`
    const running = session.run(script, { every: 100 })
    const review = await workspace.review('r1')
    await review.reject({ paths: ['src/a.ts'] }, 'Name the unit.', { name: 'Ada' })
    expect((await running).exitCode).toBe(0)
    const answer = (name: string) => session.fs.readFileSync(`src/${name}`, 'utf8').trimEnd()
    expect(answer('first')).toContain('Name the unit.')
    expect(answer('second')).toBe('{}')
    expect(await session.feedback()).toEqual([])
  })

  it('an agent that runs inside gets a denial of a write outside of its scope, once', async () => {
    const project = place()
    project.write('.orchestration/policy.yaml', `outside: {"${realpathSync(`${ESCROW}/../../../../../..`)}": allow}\n`)
    const session = await startSession(await project.open(), 'r1')
    writeFileSync(`${project.root}/event`, claudeEvent(project.root, 'PostToolUse', call('Bash', { command: 'echo' })))
    const hook = `"${process.execPath}" "${ESCROW}" hook claude < event`
    const wait = 'until [ -s /run/escrow/words ]; do sleep 0.05; done'
    const script = `echo x > README.md; ${wait}; ${hook} > src/first; echo y > README.md; sleep 0.5; ${hook} > src/second`
    await session.run(script, { every: 100 })
    const answer = (name: string) => session.fs.readFileSync(`src/${name}`, 'utf8').trimEnd()
    expect(answer('first')).toContain('Scope Violation: INT-001 is not authorized to edit README.md')
    expect(answer('first')).toContain('It is not staged')
    expect(answer('second')).toBe('{}')
  })

  it('feedback that nobody inside received is delivered later', async () => {
    const project = place()
    const workspace = await project.open()
    const session = await startSession(workspace, 'r1')
    session.fs.writeFileSync('src/a.ts', 'wrong\n')
    await session.flush()
    const review = await workspace.review('r1')
    const { id } = await review.reject({ paths: ['src/a.ts'] }, 'Name the unit.', { name: 'Ada' })
    // A command of the agent is not a client of its model, so its reports are ignored.
    await session.exec(`echo '{"delivered":"feedback:${id}:src/a.ts"}' >> /run/escrow/told`)
    await session.run('echo \'{"delivered":"feedback:other:src/a.ts"}\' >> /run/escrow/told; true', { every: 100 })
    expect((await session.feedback()).map(({ reason }) => reason)).toEqual(['Name the unit.'])
  })
})
