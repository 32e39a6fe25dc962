/** Files of the workspace that Roo's own screens write: its settings, modes, rules and instructions. */
const OWN = /^(?:\.roo|\.roomodes|\.rooignore|\.roorules[^/]*|\.clinerules[^/]*|AGENTS?(?:\.local)?\.md)(?:\/|$)/
/** Beside such a file while it is written: its lock, and the temporary files of `safeWriteJson` and `safeWriteText`. */
const TEMPORARY_SUFFIX = /^\.(.+)\.(?:new|bak)_\d+_[a-z0-9]+\.tmp$/
const STAGING = /^\.file-safety-staging/

/**
 * Whether a person changes a file by Roo's screens: a click there is no act of the model's, and belongs on the disk.
 * @param path relative to the workspace, with `/`
 */
export function isPersonFile(path: string): boolean {
  const [first = '', ...rest] = path.split('/')
  if (STAGING.test(first)) return true
  const name = (TEMPORARY_SUFFIX.exec(first)?.[1] ?? first).replace(/\.lock$/, '')
  return OWN.test([name, ...rest].join('/'))
}
