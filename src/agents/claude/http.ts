import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { defined } from '../../core/defined.js'
import { openJudges } from '../../index.js'
import { bearerOf, errorText, isSameSecret } from '../../surface/index.js'
import { type BodyLimits, type BodyReader, readBody } from '../hook/body.js'
import type { HookDeps } from '../hook/deps.js'
import { answerClaude, type ClaudeAnswer, NoWorktree } from './answer.js'
import type { ClaudeEventName } from './event-schema.js'
import { CLAUDE_EVENTS } from './events.js'
import { claudeFailure } from './failure.js'
import { UndeliveredFeedback } from './undelivered-feedback.js'

/** Options of a served hook. */
export interface ClaudeHookOptions {
  /** The workspace whose rules apply, whatever directory the event names. */
  readonly root: string
  /** The secret of a request, as a bearer token or the `token` parameter. It should grant nothing else. */
  readonly token: string
  /** The session to judge by, if the URL has no `session` parameter. By default the client's own. */
  readonly session?: string
  /** Milliseconds until a judgement that is still pending becomes a refusal. */
  readonly patience?: number
  readonly body?: Partial<BodyLimits>
}

/** Less than the 30 seconds after which Claude Code gives up with the settings of `escrow init`. */
const PATIENCE = 20_000

/**
 * Answers Claude Code's hooks of type `http`. The `event` parameter names the event if the body is unreadable. Never
 * rejects. A request without access gets 401 or 403. Any other request, also after a failure of ours, gets 200 with a
 * decision, because no status stops a tool.
 */
export function claudeHookHandler(options: ClaudeHookOptions): (request: Request) => Promise<Response> {
  const answer = createAnswerer(options)
  return async (request) => {
    const { status, text } = await answer({
      method: request.method,
      url: new URL(request.url),
      header: (name) => request.headers.get(name) ?? undefined,
      body: () => readerOf(request),
      onLost: (tell) => request.signal.addEventListener('abort', tell, { once: true }),
    })
    return new Response(text, { status, headers: HEADERS })
  }
}

/**
 * {@link claudeHookHandler} for `node:http` servers. Fetch requests and responses with their streams would take longer than the
 * judgement.
 */
export function claudeHookListener(options: ClaudeHookOptions): RequestListener {
  const answer = createAnswerer(options)
  return async (incoming, outgoing) => {
    const [path, base] = [incoming.url ?? '/', `http://${incoming.headers.host ?? ''}`] as const
    const { status, text } = URL.canParse(path, base)
      ? await answer(requestOf(incoming, outgoing, new URL(path, base)))
      : httpAnswer(NO_HOST.message, NO_HOST.status)
    outgoing.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(text) })
    outgoing.end(text)
    drain(incoming)
  }
}

/** The parts of a request that a judgement needs. */
interface HookRequest {
  readonly method: string
  readonly url: URL
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined
  body(): BodyReader
  /** Calls back if the client disconnects before it has the whole response. */
  onLost(onLost: () => void): void
}

interface HttpAnswer {
  readonly status: number
  readonly text: string
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

function createAnswerer(options: ClaudeHookOptions): (asked: HookRequest) => Promise<HttpAnswer> {
  const { root, token, session, patience = PATIENCE, body } = options
  const openJudge = openJudges(root)
  const undelivered = new UndeliveredFeedback()
  return async (request) => {
    const refusal = refusalOf(request, token)
    if (refusal !== undefined) return httpAnswer(refusal.message, refusal.status)
    const { searchParams } = request.url
    const sessionId = searchParams.get('session') || session
    const delivery = undelivered.begin()
    request.onLost(() => delivery.markLost())
    const deps: Partial<HookDeps> = {
      // The variables of another process are not trusted, and whether it runs in a mount is not visible from here.
      env: { CLAUDE_PROJECT_DIR: root },
      cwd: root,
      rootOf: () => root,
      isInMount: () => false,
      openJudge: async (_, about) => delivery.wrap(await openJudge(about)),
      ...defined({ session: sessionId }),
    }
    let event = knownEvent(searchParams.get('event')) ?? 'PreToolUse'
    try {
      const text = await readBody(request.body(), body)
      event = knownEvent(eventNameIn(text)) ?? event
      return httpAnswer(await withTimeout(patience, answerClaude(text, deps)))
    } catch (error) {
      delivery.markLost()
      // Without a path no worktree is created.
      if (error instanceof NoWorktree) return httpAnswer({ systemMessage: error.message })
      return httpAnswer(claudeFailure(event, errorText(error)))
    }
  }
}

function httpAnswer(answer: ClaudeAnswer | string, status = 200): HttpAnswer {
  return { status, text: JSON.stringify(typeof answer === 'string' ? { error: answer } : answer) }
}

function readerOf({ headers, body }: Request): BodyReader {
  const reader = body?.getReader()
  return {
    length: headers.get('content-length'),
    next: async () => reader?.read() ?? { done: true },
    cancel: () => void reader?.cancel().catch(() => undefined),
  }
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse, url: URL): HookRequest {
  const header = (name: string) => {
    const value = incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }
  const body = () => {
    const chunks = incoming.iterator({ destroyOnReturn: false })
    return {
      length: incoming.headers['content-length'],
      next: () => chunks.next(),
      cancel: () => void chunks.return?.().catch(() => undefined),
    }
  }
  const onLost = (tell: () => void) => outgoing.once('close', () => outgoing.writableFinished || tell())
  return { method: incoming.method ?? '', url, header, body, onLost }
}

/** Milliseconds to drain an unread request, so that its sender gets to read the response. */
const DRAIN_MS = 500

function drain(incoming: IncomingMessage): void {
  if (incoming.readableEnded || incoming.destroyed) return
  const end = setTimeout(() => incoming.socket.destroySoon(), DRAIN_MS).unref()
  incoming.once('end', () => clearTimeout(end)).once('error', () => clearTimeout(end))
  incoming.resume()
}

/** The refusal of a request without access, such as one from a web page. */
function refusalOf({ method, header, url }: HookRequest, token: string) {
  const hosts = [url.host, header('host') ?? url.host]
  if (!hosts.every((host) => LOOPBACK.test(host))) return NO_HOST
  if (header('origin') !== undefined || FROM_PAGE.test(header('sec-fetch-site') ?? ''))
    return { status: 403, message: 'Web pages may not send events.' }
  const candidate = bearerOf(header('authorization')) ?? url.searchParams.get('token') ?? ''
  if (token === '' || !isSameSecret(candidate, token))
    return {
      status: 401,
      message: 'The token is missing or wrong. `escrow init --claude --http` writes the right one.',
    }
  return method === 'POST' ? undefined : { status: 405, message: 'Send the event with POST.' }
}

const NO_HOST = { status: 403, message: 'The Host header does not name this server.' }
const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i
const FROM_PAGE = /^(?:cross-site|same-site|same-origin)$/i

function eventNameIn(text: string): unknown {
  const httpAnswer: unknown = JSON.parse(text)
  return typeof httpAnswer === 'object' && httpAnswer !== null && 'hook_event_name' in httpAnswer
    ? httpAnswer.hook_event_name
    : undefined
}

function knownEvent(name: unknown): ClaudeEventName | undefined {
  return CLAUDE_EVENTS.find((each) => each === name)
}

async function withTimeout<T>(patience: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the check took too long.')), patience)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
