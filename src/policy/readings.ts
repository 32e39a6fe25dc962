import { posix } from 'node:path'

/**
 * What a name, relative to the root or absolute, can mean: on one system a backslash is a character, on another it separates, and
 * archives, editors and git carry names from one to the other. A rule holds for every reading.
 */
export function readingsOf(name: string): readonly string[] {
  if (!name.includes('\\')) return [name]
  const other = posix.normalize(name.replaceAll('\\', '/')).replace(/\/$/, '')
  return [name, other === '.' ? '' : other]
}
