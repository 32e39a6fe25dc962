import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A tree as text: each path with its type, mode and content. Equal texts are equal trees. */
export function treeOf(root: string, skip: readonly string[] = ['.orchestration']): Map<string, string> {
  const found = new Map<string, string>()
  const visit = (at: string): void => {
    for (const name of namesIn(join(root, at))) {
      const path = at === '' ? name : `${at}/${name}`
      if (skip.includes(path)) continue
      const entry = entryOf(join(root, path))
      found.set(path, entry)
      if (entry.startsWith('dir')) visit(path)
    }
  }
  visit('')
  return found
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort()
  } catch {
    return []
  }
}

function entryOf(path: string): string {
  try {
    const stats = lstatSync(path)
    if (stats.isSymbolicLink()) return `link ${readlinkSync(path)}`
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isDirectory()) return `dir ${mode}`
    if (!stats.isFile()) return `special ${mode}`
    return `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  } catch {
    return 'unreadable'
  }
}

/** The paths that differ. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort()
}

export function writeTree(root: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(root, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
