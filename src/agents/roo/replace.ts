/**
 * Puts a method of ours on a live object, in front of its own.
 * @param original the one that is there; undefined where the object has none, and then nothing is done
 * @param make is given the original, bound to the object
 * @returns takes ours away, unless somebody has put another in front of it
 */
export function replaceMethod<A extends unknown[], R>(
  of: object,
  name: string,
  original: ((...args: A) => R) | undefined,
  make: (original: (...args: A) => R) => (...args: A) => R,
): () => void {
  if (original === undefined) return () => undefined
  const before = Object.getOwnPropertyDescriptor(of, name)
  const value = make((...args) => Reflect.apply(original, of, args))
  Object.defineProperty(of, name, {
    value,
    writable: true,
    configurable: true,
    enumerable: before?.enumerable ?? false,
  })
  return () => {
    if (Reflect.get(of, name) !== value) return
    if (before) Object.defineProperty(of, name, before)
    else Reflect.deleteProperty(of, name)
  }
}
