import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { codeOf } from '../../overlay/index.js'
import { HubError, type HubErrorCode } from '../hub/index.js'
import { isDiskFull } from '../os/disk-full.js'
import { BodyTooLong } from '../os/limited-body.js'

export interface Failure {
  readonly code: HubErrorCode | 'failed' | 'no_token' | 'too_many'
  readonly message: string
  readonly details?: readonly string[]
}

const STATUS: Readonly<Record<HubErrorCode, ContentfulStatusCode>> = {
  invalid: 400,
  refused: 403,
  not_found: 404,
  fenced: 409,
  held: 409,
  superseded: 409,
  behind: 409,
  missing: 422,
  away: 503,
}

/** PostgreSQL's code for a full disk. */
const DISK_FULL = '53100'
/** Codes of the driver, of Node, and PostgreSQL's classes 08 (connection), 53 (resources) and 57 (shut down). */
const AWAY = /^(?:CONNECT|ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_|(?:08|53|57)...$)/

const FULL = "The disk of the hub's database is full. Its operator must free space on it; then try again."

/** Converts an error for the caller. One that is not expected is reported to the operator, and the caller reads no detail of it. */
export function toFailure(
  error: unknown,
  report: (error: unknown) => void,
): { readonly status: ContentfulStatusCode; readonly failure: Failure } {
  if (error instanceof z.ZodError) return { status: 400, failure: { code: 'invalid', message: z.prettifyError(error) } }
  if (error instanceof BodyTooLong) return { status: 413, failure: { code: 'invalid', message: error.message } }
  if (error instanceof SyntaxError)
    return { status: 400, failure: { code: 'invalid', message: 'The body is not JSON.' } }
  if (error instanceof HubError) {
    const { code, message, details } = error
    return { status: STATUS[code], failure: { code, message, details } }
  }
  report(error)
  if (codeOf(error) === DISK_FULL || isDiskFull(error)) return { status: 503, failure: { code: 'away', message: FULL } }
  if (AWAY.test(codeOf(error) ?? ''))
    return { status: 503, failure: { code: 'away', message: "The hub's database does not answer. Try again later." } }
  return {
    status: 500,
    failure: { code: 'failed', message: 'The hub failed. Its operator can read why in its output.' },
  }
}
