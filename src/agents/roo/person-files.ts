/** Files of the workspace that Roo's own screens write: its settings, modes, rules and instructions. */
const PERSON_FILE =
  /^(?:\.roo|\.roomodes|\.rooignore|\.roorules[^/]*|\.clinerules[^/]*|AGENTS?(?:\.local)?\.md)(?:\/|$)/
/** Files next to such a file during a write: its lock, and the temporary files of `safeWriteJson` and `safeWriteText`. */
const TEMPORARY_SUFFIX = /^\.(.+)\.(?:new|bak)_\d+_[a-z0-9]+\.tmp$/
const STAGING = /^\.file-safety-staging/

/**
 * Whether a file is one that a person changes in Roo's screens. Such a change is the person's, and is written to the disk.
 * @param path relative to the workspace, with `/`
 */
export function isPersonFile(path: string): boolean {
  const [first = '', ...rest] = path.split('/')
  if (STAGING.test(first)) return true
  const name = (TEMPORARY_SUFFIX.exec(first)?.[1] ?? first).replace(/\.lock$/, '')
  return PERSON_FILE.test([name, ...rest].join('/'))
}
