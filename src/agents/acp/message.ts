import { z } from 'zod'
import { defined } from '../../core/defined.js'
import { isTooDeep, MAX_JSON_DEPTH, sessionErrorText } from '../../surface/index.js'

/** Identifies a request among those of its sender. */
export type Id = string | number | null

export interface Request {
  readonly id: Id
  readonly method: string
  readonly params: unknown
}

export interface Notification {
  readonly method: string
  readonly params: unknown
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The response to a request. */
export type Answer = { readonly result: unknown } | { readonly error: RpcError }

export type Message =
  | ({ readonly kind: 'request' } & Request)
  | ({ readonly kind: 'notification' } & Notification)
  | { readonly kind: 'response'; readonly id: Id; readonly answer: Answer }

/** Codes of JSON-RPC and of the protocol. */
export const CODE = {
  parse: -32_700,
  invalid: -32_600,
  unknownMethod: -32_601,
  params: -32_602,
  internal: -32_603,
  cancelled: -32_800,
  notFound: -32_002,
  /** Our own: policy denied the call. */
  denied: -32_010,
} as const

/** Answers a request with an error. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure'
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}

export function toRpcError(error: unknown): RpcError {
  if (error instanceof z.ZodError) return { code: CODE.params, message: z.prettifyError(error) }
  if (!(error instanceof RpcFailure)) return { code: CODE.internal, message: sessionErrorText(error) }
  const { code, message, data } = error
  return { code, message, ...defined({ data }) }
}

const id = z.union([z.string(), z.number(), z.null()])
const shape = z.object({
  jsonrpc: z.literal('2.0'),
  id: id.optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
})

/** @throws RpcFailure for a line that is not exactly one kind of message: two parsers could read it differently. */
export function parseMessage(line: string): Message {
  const value = parseJson(line)
  const read = shape.safeParse(value)
  if (!read.success) throw new RpcFailure(CODE.invalid, 'This is not a JSON-RPC 2.0 message.')
  const { method, params, result, error } = read.data
  const [hasId, hasResult] = ['id', 'result'].map((name) => Object.hasOwn(read.data, name))
  if (method !== undefined && !hasResult && error === undefined)
    return hasId && read.data.id !== undefined
      ? { kind: 'request', id: read.data.id, method, params }
      : { kind: 'notification', method, params }
  if (method === undefined && read.data.id !== undefined && (error === undefined) === hasResult)
    return { kind: 'response', id: read.data.id, answer: error === undefined ? { result } : { error } }
  throw new RpcFailure(CODE.invalid, 'This message is not exactly one of a request, a notification and a response.')
}

function parseJson(line: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new RpcFailure(CODE.parse, 'This is not valid JSON.')
  }
  if (isTooDeep(line)) throw new RpcFailure(CODE.invalid, `This is nested deeper than ${MAX_JSON_DEPTH} levels.`)
  return value
}
