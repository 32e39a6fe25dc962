import { expect } from 'vitest'
import { digest } from '../../overlay/index.js'
import type { QueuedChange } from '../../src/hub/types.js'
import { createChange, type serveTrial } from '../hub/fixtures.js'

export type Hub = Awaited<ReturnType<typeof serveTrial>>

/** Sends a request to the hub. */
export async function call(
  hub: Hub,
  token: string,
  path: string,
  json?: unknown,
  method = json === undefined ? 'GET' : 'POST',
) {
  const response = await fetch(`${hub.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    body: json === undefined ? null : JSON.stringify(json),
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text }
}

/** Opens a session and submits its changes. @param more other fields of the body */
export async function submit(
  hub: Hub,
  host: string,
  changes: readonly QueuedChange[],
  session = 'laptop.agent-1',
  more: object = {},
) {
  const { epoch } = (await call(hub, host, `/v1/sessions/${session}/open`, {})).body
  const message = { session, epoch, digest: digest(JSON.stringify(changes)), revision: 1, changes }
  return call(hub, host, '/v1/submissions', Object.assign(message, more))
}

/** A new file with a content that the hub gets first. */
export async function uploadContent(hub: Hub, host: string, path: string, text: string): Promise<QueuedChange> {
  const response = await fetch(`${hub.url}/v1/contents/${digest(text)}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${host}` },
    body: text,
  })
  expect(response.status).toBe(200)
  return createChange(path, { after: digest(text), shown: { before: null, after: digest(text) } })
}
