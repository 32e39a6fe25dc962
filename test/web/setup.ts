import { request } from 'node:http'
import { onTestFinished } from 'vitest'
import type { Session, Workspace } from '../../src/index.js'
import { type ReviewServer, type ServeOptions, serveReview } from '../../src/web/serve.js'
import type { WireChange, WireChanges } from '../../src/web/wire.js'
import { buildPageOnce } from '../support/built-page.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'
import { FILES, openAgent } from './scene.js'

export interface Setup {
  readonly project: TestWorkspace
  readonly workspace: Workspace
  readonly session: Session
  readonly served: ReviewServer
  readonly url: URL
  readonly token: string
  /** Sends a request with the token; a body is sent as JSON. */
  ask(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The changes of the agent's session. */
  changes(): Promise<readonly WireChange[]>
}

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  json<T>(): T
}

export const ADA = { name: 'Ada' }

/** A server on a workspace with an agent at work; everything is removed after the test. */
export async function setUp({
  files = FILES,
  ...options
}: Partial<ServeOptions> & { readonly files?: Readonly<Record<string, string>> } = {}): Promise<Setup> {
  const project = testWorkspace(files, '')
  const workspace = await project.open()
  const session = await openAgent(workspace)
  const served = await serveReview({ workspace, admit: () => undefined, by: ADA, page: buildPageOnce(), ...options })
  onTestFinished(() => served.close())
  const url = new URL(served.url)
  const token = url.searchParams.get('token') ?? ''
  const ask: Setup['ask'] = (path, body, headers = {}) => {
    const sent = body === undefined ? {} : { 'content-type': 'application/json' }
    return send(
      new URL(path, url),
      body === undefined ? 'GET' : 'POST',
      { authorization: `Bearer ${token}`, ...sent, ...headers },
      body === undefined ? undefined : JSON.stringify(body),
    )
  }
  const changes = async () => {
    const { groups } = (await ask('/api/sessions/cents/changes')).json<WireChanges>()
    return groups.flatMap((group) => group.changes)
  }
  return { project, workspace, session, served, url, token, ask, changes }
}

/** Sends one request with exactly these headers and path. */
export function send(
  url: URL,
  method: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
  path = `${url.pathname}${url.search}`,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: url.hostname, port: url.port, path, method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: () => JSON.parse(text) })
      })
      answer.on('error', reject)
    })
    outgoing.on('error', reject)
    // A client that is refused while still sending sees it on the socket, after the response.
    outgoing.on('socket', (socket) => socket.on('error', () => undefined))
    outgoing.end(body)
  })
}

/** The displayed change of a path. */
export function findChange(changes: readonly WireChange[], path: string): WireChange {
  const found = changes.find((change) => change.path === path)
  if (found === undefined) throw new Error(`${path} is not among the changes.`)
  return found
}
