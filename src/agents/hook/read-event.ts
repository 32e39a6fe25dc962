/**
 * Reads the input of a client's hook. Throws an Error that says in one line what was expected and what is wrong.
 * @param client the client's name for people
 * @param parse reads the JSON value; throws a validation error
 */
export function readEvent<T>(client: string, text: string, parse: (value: unknown) => T): T {
  const value = jsonOf(client, text)
  try {
    return parse(value)
  } catch (error) {
    const path = pathOfIssue(error)
    if (path === undefined) throw error
    throw unexpected(client, problemAt(value, path), error)
  }
}

function jsonOf(client: string, text: string): unknown {
  if (text.trim() === '') throw unexpected(client, 'it is empty')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unexpected(client, 'it is not JSON', error)
  }
}

function unexpected(client: string, problem: string, cause?: unknown): Error {
  return new Error(`The input of a ${client} hook (JSON on stdin) was expected, but ${problem}.`, { cause })
}

/** The path of the first issue of a validation error. It avoids the validator's class, which loads the library. */
function pathOfIssue(error: unknown): readonly PropertyKey[] | undefined {
  if (typeof error !== 'object' || error === null || !('issues' in error) || !Array.isArray(error.issues))
    return undefined
  const issue: unknown = error.issues[0]
  return typeof issue === 'object' && issue !== null && 'path' in issue && Array.isArray(issue.path)
    ? issue.path
    : undefined
}

function problemAt(value: unknown, path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'it is not an event of a hook'
  const field = `its field \`${path.map(String).join('.')}\``
  let found = value
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found === undefined ? `${field} is missing` : `${field} has the wrong form`
}
