/**
 * The fields that have a value: `{ path, ...defined({ from }) }` has a `from` only where there is one. The type checker
 * tells an absent field from one that is `undefined`.
 */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: { [K in keyof T]?: Exclude<T[K], undefined> } = {}
  for (const key in fields) if (isDefined(fields[key])) found[key] = fields[key]
  return found
}

function isDefined<V>(value: V): value is Exclude<V, undefined> {
  return value !== undefined
}
