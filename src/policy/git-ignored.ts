import { compileIgnore } from './free-paths.js'

/**
 * Whether git ignores a path (gitignore(5)): by the `.gitignore` of each ancestor, deepest first, then `.git/info/exclude`. Everything in
 * an ignored directory is ignored, and a `!` cannot include it again.
 * @param read returns the text of a workspace file, or undefined if there is none.
 */
export function gitIgnored(
  read: (path: string) => string | undefined,
): (path: string, isDirectory: boolean) => boolean {
  const known = new Map<string, ReturnType<typeof compileIgnore>>()
  const rulesOf = (file: string) => {
    const rules =
      known.get(file) ?? compileIgnore((read(file) ?? '').split(/\r?\n/).filter((line) => !/^\s*(#|$)/.test(line)))
    known.set(file, rules)
    return rules
  }
  const isIgnoredAt = (segments: readonly string[], isDirectory: boolean): boolean => {
    for (let at = segments.length - 1; at >= 0; at--) {
      const file = [...segments.slice(0, at), '.gitignore'].join('/')
      const match = rulesOf(file)(segments.slice(at), isDirectory)
      if (match !== undefined) return match
    }
    return rulesOf('.git/info/exclude')(segments, isDirectory) === true
  }
  return (path, isDirectory) => {
    const segments = path.split('/')
    return segments.some((_, at) => isIgnoredAt(segments.slice(0, at + 1), at < segments.length - 1 || isDirectory))
  }
}
