import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest directory, from this one up, that has an `.orchestration` directory; undefined where none has. */
export function findRoot(directory: string): string | undefined {
  if (statSync(join(directory, '.orchestration'), { throwIfNoEntry: false })?.isDirectory()) return directory
  const parent = dirname(directory)
  return parent === directory ? undefined : findRoot(parent)
}
