/**
 * Replaces a method of a live object by a wrapper.
 * @param original the current method; if undefined, nothing is done
 * @param make gets the original, bound to the object
 * @returns a function that removes the wrapper, unless another one was put around it
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
