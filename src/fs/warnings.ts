/** Node's own warnings, each shown once per process. */

const emitted = new Set<string>()

/** @param code the code of a deprecation; undefined for another kind of warning */
export function warnOnce(code: string | undefined, message: string): void {
  if (emitted.has(message)) return
  emitted.add(message)
  if (code === undefined) process.emitWarning(message)
  else process.emitWarning(message, 'DeprecationWarning', code)
}
