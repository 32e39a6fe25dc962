import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import { adviceFor } from '../core/errno-advice.js'
import { EscrowError } from '../index.js'
import { BodyTooLong, BY_DIFF, BY_EDIT, BY_MERGE, errorText, oneLine } from '../surface/index.js'
import type { WireFailure, WireLeft } from './wire.js'

/** The shown version has changed or was never shown. Nothing was recorded. */
export class Conflict extends Error {
  readonly reason = 'stale_file'
  readonly hint = 'The page now shows the current version: decide on that one.'
  constructor(what: string) {
    super(`${what} changed after it was shown. Nothing was recorded.`)
  }
}

/** A malformed request. */
export class BadRequest extends Error {
  readonly reason = 'bad_request'
}

const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  bad_request: 400,
  path_escape: 400,
  access_denied: 403,
  protected_path: 403,
  nothing_selected: 404,
  stale_file: 409,
  claimed: 409,
  session_busy: 409,
  unticked: 409,
  undo_expired: 410,
  limit_exceeded: 413,
  unsupported: 422,
  policy_invalid: 422,
}

/** Converts an error to the page's form, with its HTTP status. */
export function toFailure(error: unknown): { readonly status: ContentfulStatusCode; readonly failure: WireFailure } {
  if (error instanceof z.ZodError)
    return { status: 400, failure: { reason: 'bad_request', message: z.prettifyError(error) } }
  if (error instanceof BodyTooLong)
    return { status: 413, failure: { reason: 'limit_exceeded', message: error.message } }
  const known = error instanceof EscrowError || error instanceof Conflict || error instanceof BadRequest
  const reason = known ? error.reason : 'failed'
  const message = oneLine(errorText(error))
  const advice = known && 'hint' in error ? error.hint : adviceFor(error)
  const hint = advice === undefined ? {} : { hint: forPage(advice) }
  const refused = error instanceof EscrowError && error.refused ? { refused: error.refused.map(toWireLeft) } : {}
  return { status: STATUS[reason] ?? 500, failure: { reason, message, ...hint, ...refused } }
}

/** A hint of the review names a command. Here the page itself shows the changes, and merges them. */
function forPage(hint: string): string {
  return hint
    .replace(BY_DIFF, 'on this page')
    .replace(BY_EDIT, "here, or by 'Edit'")
    .replace(BY_MERGE, "with 'Merge disk changes'")
}

/** Shortens a refused or skipped path to one line with its reason. */
export function toWireLeft({ path, message }: WireLeft): WireLeft {
  return { path: oneLine(path), message: oneLine(message) }
}
