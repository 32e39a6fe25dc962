import { bearerOf, isSameSecret, openJudges } from '../../index.js'
import { type BodyLimits, bodyOf } from '../hook/body.js'
import type { HookDeps } from '../hook/deps.js'
import { answerClaude, type ClaudeAnswer, NoWorktree } from './answer.js'
import { CLAUDE_EVENTS, type ClaudeEventName } from './events.js'
import { claudeFailure } from './failure.js'
import { Unheard } from './unheard.js'

/** What a served hook goes by. */
export interface ClaudeHookOptions {
  /** The workspace whose rules hold, wherever the event says it comes from. */
  readonly root: string
  /** What a request must have, as a bearer or as `token` of its address. It should open nothing else. */
  readonly token: string
  /** The session to judge by, where the address names none by `session`; else the client's own. */
  readonly session?: string
  /** Milliseconds in which a judgement must be made, else it is a refusal. */
  readonly patience?: number
  readonly body?: Partial<BodyLimits>
}

/** Below the 30 seconds after which the settings of `escrow init` let Claude Code give up. */
const PATIENCE = 20_000

/**
 * Answers Claude Code's hooks of type `http`. `event` of the address says which event is answered where its body cannot be read.
 * Never rejects. To who is not let in the answer is 401 or 403; all else, our own failures too, is 200 with a decision, as a status holds no tool.
 */
export function claudeHookHandler(options: ClaudeHookOptions): (request: Request) => Promise<Response> {
  const { root, token, session, patience = PATIENCE, body } = options
  const openJudge = openJudges(root)
  const unheard = new Unheard()
  return async (request) => {
    const url = new URL(request.url)
    const refusal = refusalOf(request, url, token)
    if (refusal !== undefined) return answered(refusal.message, refusal.status)
    const asked = url.searchParams.get('session') || session
    const telling = unheard.begin()
    // It is aborted where its client goes away before all of the answer was sent.
    request.signal.addEventListener('abort', () => telling.lost(), { once: true })
    const deps: Partial<HookDeps> = {
      // Another process's variables are not believed, nor can it be seen from here whether that runs in a mount.
      ...{ env: { CLAUDE_PROJECT_DIR: root }, cwd: root, rootOf: () => root, isInMount: () => false },
      openJudge: async (_, about) => telling.by(await openJudge(about)),
      ...(asked !== undefined && { session: asked }),
    }
    let event = eventNamed(url.searchParams.get('event')) ?? 'PreToolUse'
    try {
      const text = await bodyOf(request, body)
      event = eventNamed(nameIn(text)) ?? event
      return answered(await within(patience, answerClaude(text, deps)))
    } catch (error) {
      telling.lost()
      // Without a path none is made.
      if (error instanceof NoWorktree) return answered({ systemMessage: error.message })
      return answered(claudeFailure(event, error instanceof Error ? error.message : String(error)))
    }
  }
}

function answered(answer: ClaudeAnswer | string, status = 200): Response {
  const text = JSON.stringify(typeof answer === 'string' ? { error: answer } : answer)
  return new Response(text, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })
}

/** No page has business here, so a request that comes from one is refused whatever it brings. */
function refusalOf({ method, headers }: Request, url: URL, token: string) {
  const hosts = [url.host, headers.get('host') ?? url.host]
  if (!hosts.every((host) => LOOPBACK.test(host)))
    return { status: 403, message: 'This is not the host it was asked as.' }
  if (headers.has('origin') || CROSS.test(headers.get('sec-fetch-site') ?? ''))
    return { status: 403, message: 'No page may ask.' }
  const given = bearerOf(headers.get('authorization') ?? undefined) ?? url.searchParams.get('token') ?? ''
  if (token === '' || !isSameSecret(given, token))
    return {
      status: 401,
      message: 'The token is missing or wrong: `escrow init --claude --http` enters the right one.',
    }
  return method === 'POST' ? undefined : { status: 405, message: 'An event is sent by POST.' }
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i
const CROSS = /^(?:cross-site|same-site|same-origin)$/i

function nameIn(text: string): unknown {
  const told: unknown = JSON.parse(text)
  return typeof told === 'object' && told !== null && 'hook_event_name' in told ? told.hook_event_name : undefined
}

function eventNamed(name: unknown): ClaudeEventName | undefined {
  return CLAUDE_EVENTS.find((each) => each === name)
}

async function within<T>(patience: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the judgement took too long.')), patience)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
