import { readdirSync } from 'node:fs'
import type { ScopeReach } from '../core/question.js'
import { runProgram } from '../os/child.js'
import { compileScope } from '../policy/index.js'
import { runsCode } from '../risk/index.js'

/** Most files that are looked at. */
const MAX_FILES = 50_000
/** Most files of a list. */
const MAX_NAMED = 5

/**
 * What a wider scope would let in: files that the new globs match and the present scope does not. Files that git ignores do not count.
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

function filesOf(root: string): string[] {
  const args = ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { status, stdout } = runProgram('git', args)
  const names = status === 0 ? stdout.split('\0').filter((name) => name !== '') : walk(root)
  return [...new Set(names)].slice(0, MAX_FILES).sort()
}

/** Without git: the files on disk, links not followed. */
function walk(root: string): string[] {
  const found: string[] = []
  const dirs = ['']
  while (dirs.length > 0 && found.length < MAX_FILES) {
    const dir = dirs.pop() ?? ''
    for (const entry of readdirSync(`${root}/${dir}`, { withFileTypes: true })) {
      const path = dir === '' ? entry.name : `${dir}/${entry.name}`
      if (entry.isFile()) found.push(path)
      else if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') dirs.push(path)
    }
  }
  return found
}
