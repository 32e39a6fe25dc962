import { isUtf8 } from 'node:buffer'
import { BodyTooLong, limitBody } from '../../surface/index.js'
import { INVALID_REQUEST, PARSE_ERROR } from './limited-transport.js'

/** Most bytes of a message. */
const MAX_BODY_BYTES = 64 * 1024 * 1024

/** A message, or a batch of them, as a client sent it. */
export interface SentBody {
  readonly parsedBody: unknown
}

/** Reads the body of a POST request, or answers one that cannot be read. */
export async function readBody(request: Request): Promise<SentBody | Response> {
  try {
    const bytes = Buffer.from(await limitBody(request, MAX_BODY_BYTES).arrayBuffer())
    // A decoder would put other characters in place of broken ones, and a file would get those.
    if (!isUtf8(bytes)) return rpcError(400, PARSE_ERROR, 'The request is not valid UTF-8.')
    return { parsedBody: JSON.parse(bytes.toString('utf8')) as unknown }
  } catch (error) {
    if (error instanceof BodyTooLong) return rpcError(413, INVALID_REQUEST, error.message)
    if (error instanceof SyntaxError) return rpcError(400, PARSE_ERROR, 'The request is not valid JSON.')
    throw error
  }
}

/** An answer to a request that no call was read from. */
export function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
}
