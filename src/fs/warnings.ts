/** Node's own warnings, each of them given once by a process. */

const given = new Set<string>()

/** @param code of a deprecation; undefined for a warning of another kind. */
export function warnOnce(code: string | undefined, message: string): void {
  if (given.has(message)) return
  given.add(message)
  if (code === undefined) process.emitWarning(message)
  else process.emitWarning(message, 'DeprecationWarning', code)
}
