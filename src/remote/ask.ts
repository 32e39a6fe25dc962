import { z } from 'zod'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { oneLine } from '../core/printable.js'

const FAILURE = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.array(z.string()).optional() }),
})

/** A hub, and the token to speak with it. */
export interface HubAddress {
  readonly url: string
  readonly token: string
}

/** A refusal of the hub. `away`: it does not answer now. */
export class HubRefusal extends Error {
  override readonly name = 'HubRefusal'
  constructor(
    readonly code: string,
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}

/** Milliseconds for a request, beyond what it asks the hub to wait. */
const TIMEOUT_MS = 30_000

export interface Sent {
  readonly method?: string
  readonly json?: unknown
  readonly bytes?: Uint8Array
  /** Seconds that the hub may wait before it answers. */
  readonly wait?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks a hub.
 * @returns the parsed JSON of the answer; undefined for an empty one
 * @throws HubRefusal, or EscrowError `access_denied` for an unknown token
 */
export async function askHub(to: HubAddress, path: string, sent: Sent = {}): Promise<unknown> {
  const response = await request(to, path, sent)
  if (response.status === 204) return undefined
  const answer: unknown = await response.json().catch(() => undefined)
  // JSON has no undefined: the answer ended early, as it does when a hub is killed.
  if (response.ok && answer === undefined)
    throw new HubRefusal('away', `The answer of the hub at ${to.url} ended early.`)
  if (response.ok) return answer
  throw refusalOf(response.status, answer)
}

/** Asks a hub for bytes. Throws as {@link askHub}. */
export async function askForBytes(to: HubAddress, path: string): Promise<Uint8Array> {
  const response = await request(to, path, {})
  if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => undefined))
  return new Uint8Array(await response.arrayBuffer())
}

/** Methods that may be repeated (RFC 9110 §9.2.2). */
const IDEMPOTENT = ['GET', 'PUT', 'DELETE']
/** Errors of a connection that the hub had closed, as it does to an idle one. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

async function request(to: HubAddress, path: string, sent: Sent): Promise<Response> {
  const { json, bytes, wait = 0, signal } = sent
  const body = bytes === undefined ? (json === undefined ? null : JSON.stringify(json)) : new Uint8Array(bytes)
  const timeout = AbortSignal.timeout(TIMEOUT_MS + wait * 1000)
  const method = sent.method ?? (body === null ? 'GET' : 'POST')
  const options = {
    method,
    headers: { authorization: `Bearer ${to.token}` },
    body,
    redirect: 'error',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  } as const
  const ask = () => fetch(`${to.url}${path}`, options)
  try {
    return await ask().catch((error: unknown) => {
      if (IDEMPOTENT.includes(method) && isClosed(error)) return ask()
      throw error
    })
  } catch (error) {
    throw new HubRefusal('away', `The hub at ${to.url} does not answer: ${describe(error)}`)
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && CLOSED.includes(codeOf(error.cause) ?? '')
}

function describe(error: unknown): string {
  return errorText(error instanceof Error && error.cause !== undefined ? error.cause : error)
}

function refusalOf(status: number, answer: unknown): Error {
  const failure = FAILURE.safeParse(answer)
  if (status === 401)
    return new EscrowError('access_denied', 'The hub does not know the token, or it was revoked.', {
      hint: "Give a new one with 'escrow remote add URL'.",
    })
  if (!failure.success)
    return new HubRefusal(status >= 500 ? 'away' : 'failed', `The hub answered with status ${status}.`)
  const { code, message, details } = failure.data.error
  return new HubRefusal(code, oneLine(message), details)
}
