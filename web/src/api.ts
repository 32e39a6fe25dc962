import type { WireCommit, WireFailure, WireNews } from '../../src/web/wire.js'

/** A request that the server refused or did not answer. */
export class RequestError extends Error {
  constructor(
    readonly status: number,
    readonly failure: WireFailure,
  ) {
    super(failure.message)
  }
}

/** The state of the connection to the server. */
export type Connection = 'live' | 'lost' | 'expired'

let reportConnection: (connection: Connection) => void = () => undefined

export function onConnection(listener: (connection: Connection) => void): void {
  reportConnection = listener
}

export async function get<T>(path: string, query: Record<string, string | number> = {}): Promise<T> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return readResponse(await request(`api/${path}?${parameters}`))
}

export async function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return readResponse(await request(`api/${path}`, { ...postBody(body), ...(signal && { signal }) }))
}

/** The URL of an image, for the browser to fetch. */
export function imageAddress(session: string, path: string, mark: string, side: 'before' | 'after'): string {
  return `api/sessions/${encodeURIComponent(session)}/image?${new URLSearchParams({ path, mark, side })}`
}

/** Commits. Calls `onLine` for each line of the streamed answer. */
export async function commit(
  session: string,
  options: { merge?: boolean },
  signal: AbortSignal,
  onLine: (line: WireCommit) => void,
): Promise<void> {
  const response = await request(`api/sessions/${encodeURIComponent(session)}/commit`, { ...postBody(options), signal })
  if (!response.ok || response.body === null) return void (await readResponse(response))
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(JSON.parse(line))
  }
}

/** Listens for changes. The browser reconnects by itself; a page whose token is no longer valid stops. */
export function listen(onNews: (news: WireNews) => void): () => void {
  const source = new EventSource(new URL('api/events', document.baseURI))
  let wasLost = false
  source.addEventListener('hello', () => {
    reportConnection('live')
    // No event reported what changed while the connection was lost.
    if (wasLost) onNews({ sessions: ['*'], ledger: true, intents: true, policy: true, classes: true })
    wasLost = false
  })
  source.addEventListener('message', (event) => onNews(JSON.parse(event.data)))
  source.addEventListener('error', () => {
    wasLost = true
    reportConnection('lost')
    if (source.readyState === EventSource.CLOSED) void get('state').catch(() => undefined)
  })
  return () => source.close()
}

function postBody(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    const response = await fetch(new URL(path, document.baseURI), init)
    if (response.status === 401) reportConnection('expired')
    return response
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    reportConnection('lost')
    throw new RequestError(0, { reason: 'lost', message: 'The server does not answer.' })
  }
}

async function readResponse<T>(response: Response): Promise<T> {
  const body = await response.json().catch(() => undefined)
  if (response.ok) return body
  throw new RequestError(
    response.status,
    body?.error ?? { reason: 'failed', message: `The server answered ${response.status}.` },
  )
}
