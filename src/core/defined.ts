/**
 * Returns the fields that have a value: `{ path, ...defined({ from }) }` has a `from` only if it is not undefined. The type checker
 * distinguishes an absent field from an undefined one.
 */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const key in fields) if (isDefined(fields[key])) found[key] = fields[key]
  return found
}

function isDefined<V>(value: V): value is Exclude<V, undefined> {
  return value !== undefined
}
