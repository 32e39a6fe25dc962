import { type Dirent, readdirSync } from 'node:fs'
import type { ScopeReach } from '../core/question.js'
import { listedFiles } from '../git/index.js'
import { compileScope } from '../policy/index.js'
import { runsCode } from '../risk/index.js'

/** The most files that are counted. */
const MAX_FILES = 50_000
/** The most files that are named. */
const MAX_NAMED = 5
/** Milliseconds for which a list of files is reused, because a page asks again for each question after every change. */
const FRESH_MS = 10_000

/**
 * Returns the files that a wider scope would add: those that the new globs match and the present scope does not. Files
 * that git ignores do not count.
 * @param root the workspace's root, absolute
 */
export function scopeReach(root: string, present: readonly string[], globs: readonly string[]): ScopeReach {
  const [now, wider] = [compileScope(present), compileScope([...present, ...globs])]
  const listed = filesOf(root)
  const files = listed.filter((path) => wider.matches(path) && !now.matches(path))
  const running = files.flatMap((path) => {
    const what = runsCode(path)
    return what === undefined ? [] : [`${path} ${what}`]
  })
  return {
    files: files.length,
    examples: files.slice(0, MAX_NAMED),
    running: running.slice(0, MAX_NAMED),
    ...(listed.length >= MAX_FILES && { atLeast: true }),
  }
}

let last: { readonly root: string; readonly at: number; readonly files: readonly string[] } | undefined

function filesOf(root: string): readonly string[] {
  const now = performance.now()
  if (last?.root !== root || now - last.at > FRESH_MS)
    last = { root, at: now, files: (listedFiles(root) ?? walk(root)).slice(0, MAX_FILES).sort() }
  return last.files
}

/** Nothing of a directory that has vanished, that this user may not read, or whose name is not UTF-8: the question is asked all the same. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

/** Without git: the files on disk, links not followed. */
function walk(root: string): string[] {
  const found: string[] = []
  const dirs = ['']
  while (dirs.length > 0 && found.length < MAX_FILES) {
    const dir = dirs.pop() ?? ''
    for (const entry of entriesOf(`${root}/${dir}`)) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') dirs.push(path)
    }
  }
  return found
}
