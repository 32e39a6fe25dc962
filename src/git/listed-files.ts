import { findProgram } from '../os/search-path.js'
import { fieldsOf } from './entries.js'
import { Git } from './program.js'

/**
 * Lists the files below a workspace's root that git tracks, and those that it would track: not the ignored ones. Undefined if there is
 * no repository or no git.
 */
export function listedFiles(root: string): string[] | undefined {
  if (findProgram('git').path === undefined) return undefined
  const listed = new Git(root).query(['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  return listed === undefined ? undefined : [...new Set(fieldsOf(listed))]
}
