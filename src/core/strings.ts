import { EscrowError } from './api-error.js'

/**
 * Callers without a type checker may give anything, and a record of it could not be read again.
 * @param what the call, in a phrase: 'a tool call'
 * @throws EscrowError `unsupported` if a field is not a string
 */
export function assertStrings(what: string, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') continue
    const type = value === null ? 'null' : typeof value
    throw new EscrowError('unsupported', `The ${name} of ${what} must be a string, not ${type}. Nothing was recorded.`)
  }
}
