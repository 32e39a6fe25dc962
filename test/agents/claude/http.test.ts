import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  answerClaude,
  CLAUDE_EVENTS,
  type ClaudeHookOptions,
  claudeHookHandler,
  claudeHookListener,
} from '../../../src/agents/claude/index.js'
import { withProcessLock } from '../../../src/os/lock.js'
import { layoutAt } from '../../../src/os/workspace-state.js'
import { serveFetch, serveListener } from '../../support/serve-fetch.js'
import { stateOf } from '../../support/state.js'
import { startSession } from '../../support/workspace.js'
import { call, fieldsOf, type SetupOptions, setUpHooks } from '../hook/setup.js'

const TOKEN = 'a'.repeat(43)

const TRANSPORTS = {
  'by requests of the fetch kind': (options: ClaudeHookOptions) => serveFetch(claudeHookHandler(options)),
  'by a listener of Node’s own': (options: ClaudeHookOptions) => serveListener(claudeHookListener(options)),
}

const write = (file_path: string) => call('Write', { file_path, content: 'x' })
const decisionOf = (answer: Readonly<Record<string, unknown>>) => {
  const output = fieldsOf(answer.hookSpecificOutput)
  return output.permissionDecision ?? fieldsOf(output.decision).behavior ?? answer.decision
}

/** Uses a raw request, because `fetch` sets the Host header itself. */
async function statusAs(origin: string, host: string): Promise<number | undefined> {
  const asking = request(`${origin}/?token=${TOKEN}`, { method: 'POST', headers: { host } }).end('{}')
  const [response] = await once(asking, 'response')
  response.resume()
  return response.statusCode
}

describe.each(Object.entries(TRANSPORTS))('%s', (_, serve) => {
  async function serveHooks(setup: SetupOptions = {}, more: Partial<ClaudeHookOptions> = {}) {
    const { project } = setUpHooks(setup)
    const origin = await serve({ root: project.root, token: TOKEN, ...more })
    const post = async (body: string, query = '', headers: Record<string, string> = {}) => {
      const address = `${origin}/hooks/claude${query}`
      const authorization = `Bearer ${TOKEN}`
      return fetch(address, { method: 'POST', body, headers: { authorization, ...headers } })
    }
    const eventBody = (event: string, more: object = {}) =>
      JSON.stringify({ session_id: 'c1', cwd: project.root, hook_event_name: event, ...more })
    /** A response that Claude Code accepts: status 200 with one JSON object. */
    const answer = async (event: string, more: object = {}, query = '') => {
      const response = await post(eventBody(event, more), query)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
      return fieldsOf(await response.json())
    }
    return { project, origin, post, eventBody, answer }
  }

  describe('a hook server', () => {
    it.each(CLAUDE_EVENTS)('answers %s as the command does', async (event) => {
      const { project, eventBody, answer } = await serveHooks()
      // A turn gets the intent only if it changed: this conversation already has it.
      await answerClaude(eventBody('SessionStart'), { env: {}, cwd: project.root })
      for (const each of [
        write('src/a.ts'),
        write('README.md'),
        write('.git/config'),
        call('Bash', { command: 'ls' }),
        call('Read', { file_path: '.env' }),
        call('Frobnicate', {}),
      ]) {
        const here = await answerClaude(eventBody(event, { ...each, name: 'w' }), { env: {}, cwd: project.root }).catch(
          (error: unknown) => (error instanceof Error ? error.message : ''),
        )
        const there = await answer(event, { ...each, name: 'w' })
        if (typeof here === 'string') expect(there).toEqual({ systemMessage: here })
        else expect(there).toEqual(here)
        expect(JSON.stringify(there)).not.toContain('"allow"')
      }
    })

    it('uses what a person saved last: policy, intents, the stage and verdicts', async () => {
      const { project, answer } = await serveHooks()
      const reason = async (path: string) => {
        const { permissionDecisionReason } = fieldsOf((await answer('PreToolUse', write(path))).hookSpecificOutput)
        return fieldsOf(JSON.parse(String(permissionDecisionReason))).reason
      }
      const read = async () => decisionOf(await answer('PreToolUse', call('Read', { file_path: 'src/b.ts' })))
      for (let round = 0; round < 3; round++) {
        expect([await reason('mail/m.ts'), await read()]).toEqual(['scope_violation', undefined])
        project.write('.orchestration/policy.yaml', 'access: {src/b.ts: deny}\n')
        expect(await read()).toBe('deny')
        project.write('.orchestration/policy.yaml', 'nonsense: 1\n')
        expect(await reason('src/a.ts')).toBe('policy_invalid')
        project.write('.orchestration/policy.yaml', 'access: {}\n')
        const intents = project.text('.orchestration/active_intents.yaml')
        project.write('.orchestration/active_intents.yaml', intents.replace('src/**', 'mail/**'))
        expect([await reason('mail/m.ts'), await reason('src/a.ts')]).toEqual(['unsupported', 'scope_violation'])
        project.write('.orchestration/active_intents.yaml', intents)
      }
      const session = await startSession(await project.open(), 'c1')
      session.fs.symlinkSync('sub', 'src/away', 'dir')
      project.write('.orchestration/policy.yaml', 'access: {src/sub/c.ts: deny}\n')
      // It is only staged: the log has grown since the last call.
      expect(await reason('src/away/c.ts')).toBe('access_denied')
    })

    it("judges in the session of its URL, else the configured one, else the client's", async () => {
      const { project, answer } = await serveHooks({}, { session: 'given' })
      const line = async (query: string) => {
        const { updatedInput } = fieldsOf(
          (await answer('PreToolUse', call('Bash', { command: 'ls' }), query)).hookSpecificOutput,
        )
        return fieldsOf(updatedInput).command
      }
      expect(await line('')).toContain('--session given ')
      expect(await line('?session=other')).toContain('--session other ')
      const own = await serveHooks()
      expect(JSON.stringify(await own.answer('PreToolUse', call('Bash', { command: 'ls' })))).toContain('--session c1 ')
      expect(project.root).not.toBe(own.project.root)
    })
  })

  describe('access', () => {
    it('is granted by the token in either form', async () => {
      const { post, eventBody } = await serveHooks()
      const event = eventBody('PreToolUse', write('src/a.ts'))
      for (const authorization of ['', 'Bearer x', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`])
        expect((await post(event, '', { authorization })).status).toBe(401)
      expect((await post(event, `?token=${TOKEN}`, { authorization: '' })).status).toBe(200)
      expect((await post(event, '?token=', { authorization: '' })).status).toBe(401)
    })

    it('is refused for web pages, other host names and an empty token', async () => {
      const { origin, post, eventBody } = await serveHooks()
      const event = eventBody('Stop')
      for (const headers of [{ origin: 'https://example.com' }, { origin }, { origin: 'null' }])
        expect((await post(event, '', headers)).status).toBe(403)
      for (const host of ['example.com', 'localhost.example.com', '127.0.0.1.example.com:80'])
        expect(await statusAs(origin, host)).toBe(403)
      expect((await fetch(`${origin}/?token=${TOKEN}`)).status).toBe(405)
      const open = await serveHooks({}, { token: '' })
      expect((await open.post(event, '', { authorization: 'Bearer ' })).status).toBe(401)
    })
  })

  describe('an event that cannot be judged', () => {
    const HOLDS = { PreToolUse: 'deny', PermissionRequest: 'deny', UserPromptSubmit: 'block', PostToolUse: 'block' }

    it.each(CLAUDE_EVENTS)('%s is blocked by status 200 and a message, because no status blocks it', async (event) => {
      const { post } = await serveHooks({}, { body: { bytes: 2_000 } })
      for (const body of ['', '{', '[]', 'null', '{}', 'x'.repeat(5_000), `{"hook_event_name":"${event}"}`]) {
        const response = await post(body, `?event=${event}`)
        const answer = fieldsOf(await response.json())
        expect(response.status).toBe(200)
        expect(decisionOf(answer)).toBe(Object.hasOwn(HOLDS, event) ? Reflect.get(HOLDS, event) : undefined)
        expect(JSON.stringify(answer)).not.toContain('worktreePath')
        expect(JSON.stringify(answer)).toContain('escrow could not check this call')
        const { hookEventName = event } = fieldsOf(answer.hookSpecificOutput)
        expect(hookEventName).toBe(event)
      }
    })

    it('is treated as a tool call if its kind is unknown', async () => {
      const { post } = await serveHooks()
      expect(decisionOf(fieldsOf(await (await post('{')).json()))).toBe('deny')
      expect(decisionOf(fieldsOf(await (await post('{', '?event=Nonsense')).json()))).toBe('deny')
    })

    it('is refused over 10 MB, with or without a content length', async () => {
      const { post, eventBody } = await serveHooks()
      const big = eventBody('PreToolUse', call('Write', { file_path: 'src/a.ts', content: 'x'.repeat(11_000_000) }))
      expect(JSON.stringify(await (await post(big)).json())).toContain('more than 10485760 bytes')
      const near = eventBody('PreToolUse', call('Write', { file_path: 'README.md', content: 'x'.repeat(10_000_000) }))
      expect(JSON.stringify(await (await post(near)).json())).toContain('scope_violation')
    })

    it('is refused if it arrives too slowly or its judgement takes too long', async () => {
      const { origin } = await serveHooks({}, { body: { patience: 50 } })
      const socket = connect(Number(new URL(origin).port), '127.0.0.1')
      socket.write(`POST /?token=${TOKEN} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{`)
      const [chunk] = await once(socket, 'data')
      expect(String(chunk)).toMatch(/200 OK[\s\S]*"permissionDecision":"deny"[\s\S]*too long to arrive/)
      socket.destroy()
      const late = await serveHooks({}, { patience: 50 })
      const answer = await withProcessLock(layoutAt(late.project.root).locks, 'ledger', () =>
        late.answer('PreToolUse', write('README.md')),
      )
      expect([decisionOf(answer), JSON.stringify(answer)]).toEqual(['deny', expect.stringContaining('took too long')])
    })

    it('is refused for a damaged or missing workspace, and for an invalid session id', async () => {
      const { project, answer } = await serveHooks()
      expect(decisionOf(await answer('PreToolUse', write('src/a.ts'), '?session=../x'))).toBe('deny')
      mkdirSync(`${stateOf(project.root)}/sessions/c1`, { recursive: true })
      project.write('.orchestration/sessions/c1/stage.log', '{"what": is this\n{}\n')
      expect(decisionOf(await answer('PreToolUse', write('src/a.ts')))).toBe('deny')
      const gone = await serve({ root: `${project.root}/none`, token: TOKEN })
      const event = JSON.stringify({
        ...{ session_id: 's', cwd: project.root, hook_event_name: 'PreToolUse' },
        ...call('Read', { file_path: 'src/a.ts' }),
      })
      const response = await fetch(`${gone}/?token=${TOKEN}`, { method: 'POST', body: event })
      expect([response.status, decisionOf(fieldsOf(await response.json()))]).toEqual([200, 'deny'])
    })
  })
})

describe("reviewers' feedback", () => {
  const setUpServer = async () => {
    const { project } = setUpHooks()
    const workspace = await project.open()
    const session = await startSession(workspace, 'c1')
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await session.close()
    await (await workspace.review('c1')).reject('src/a.ts', 'Not like this.')
    const options = { root: project.root, token: TOKEN, patience: 5_000 }
    const handle = claudeHookHandler(options)
    const body = JSON.stringify({ session_id: 'c1', cwd: project.root, hook_event_name: 'PostToolUse', ...write('a') })
    const headers = { authorization: `Bearer ${TOKEN}` }
    const ask = async (signal?: AbortSignal) => {
      const about = { method: 'POST', body, headers, ...(signal && { signal }) }
      return (await handle(new Request('http://127.0.0.1/hooks/claude', about))).text()
    }
    return { ask, options, body, headers }
  }

  it('is delivered once', async () => {
    const { ask } = await setUpServer()
    expect(await ask()).toContain('Not like this.')
    expect(await ask()).toBe('{}')
  })

  it('is delivered again if the client disconnected before the response', async () => {
    const { ask } = await setUpServer()
    for (let attempt = 0; attempt < 2; attempt++) {
      const client = new AbortController()
      expect(await ask(client.signal)).toContain('Not like this.')
      client.abort()
    }
    expect(await ask()).toContain('Not like this.')
    expect(await ask()).toBe('{}')
  })

  it('is delivered again by a Node listener if the client hung up', async () => {
    const { options, body, headers } = await setUpServer()
    const listener = claudeHookListener(options)
    let left = 2
    const origin = await serveListener((incoming, outgoing) => {
      // The connection is closed before the answer is ready.
      if (left-- > 0) Object.assign(outgoing, { end: () => outgoing.destroy() })
      listener(incoming, outgoing)
    })
    const ask = async () => (await fetch(origin, { method: 'POST', body, headers })).text()
    for (let attempt = 0; attempt < 2; attempt++) await expect(ask()).rejects.toThrow()
    expect(await ask()).toContain('Not like this.')
    expect(await ask()).toBe('{}')
  })
})
