import { posix } from 'node:path'

/**
 * The possible meanings of a name. A backslash is a character on one system and a separator on another, and archives,
 * editors and git carry names between them, so every rule applies to both interpretations.
 * @param name a path, absolute or relative to the root.
 */
export function readingsOf(name: string): readonly string[] {
  if (!name.includes('\\')) return [name]
  const other = posix.normalize(name.replaceAll('\\', '/')).replace(/\/$/, '')
  return [name, other === '.' ? '' : other]
}
