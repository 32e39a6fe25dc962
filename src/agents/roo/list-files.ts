import { z } from 'zod'
import { defineTool, flagArgument, pathArgument } from './tool.js'
import { shouldEnter, type WalkEntry, walk } from './walk.js'

/** Most entries in one result, as in the host. */
const LIMIT = 200

const schema = z.object({ path: pathArgument, recursive: flagArgument })

/** `list_files`: lists a directory, or everything below it; directories end in a slash. */
export const listFiles = defineTool('list_files', schema, ({ path, recursive }) => async (session) => {
  const found: WalkEntry[] = []
  let cut = false
  for await (const entry of walk(session, path, (name) => recursive === true && shouldEnter(name))) {
    cut = found.length === LIMIT
    if (cut) break
    found.push(entry)
  }
  if (found.length === 0) return 'No files found.'
  const names = found.map((entry) => (entry.directory ? `${entry.path}/` : entry.path)).sort(byPath)
  return names.join('\n') + (cut ? `\n\n(Only the first ${LIMIT} are listed. List a subdirectory to see more.)` : '')
})

/** Sorts directories before their contents, and numbers in names by value. */
function byPath(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })
}
