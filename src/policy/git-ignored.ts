import { compileIgnore } from './free-paths.js'

/**
 * What git ignores (gitignore(5)): the `.gitignore` of each directory on the way, the deeper one first, and
 * `.git/info/exclude`. What is in an ignored directory is ignored, and cannot be taken out again.
 * @param read the text of a file of the workspace, or undefined where there is none.
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
  const says = (segments: readonly string[], isDirectory: boolean): boolean => {
    for (let at = segments.length - 1; at >= 0; at--) {
      const file = [...segments.slice(0, at), '.gitignore'].join('/')
      const word = rulesOf(file)(segments.slice(at), isDirectory)
      if (word !== undefined) return word
    }
    return rulesOf('.git/info/exclude')(segments, isDirectory) === true
  }
  return (path, isDirectory) => {
    const segments = path.split('/')
    return segments.some((_, at) => says(segments.slice(0, at + 1), at < segments.length - 1 || isDirectory))
  }
}
