/** The values of an option that may be repeated, in order. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}
