import type { WireChange } from '../../src/web/wire.js'

/** A row of the file tree: a collapsible directory, or a change. */
export type TreeRow =
  | {
      readonly kind: 'directory'
      readonly path: string
      readonly name: string
      readonly depth: number
      readonly count: number
    }
  | { readonly kind: 'change'; readonly change: WireChange; readonly depth: number }

interface Directory {
  readonly directories: Map<string, Directory>
  readonly changes: WireChange[]
  count: number
}

/**
 * Lists changes as a tree: in each directory its directories, then its files, sorted by name. A directory that contains only
 * one directory shares a row with it.
 * @param closed paths of collapsed directories
 */
export function treeRows(changes: readonly WireChange[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const list = (directory: Directory, path: string, depth: number) => {
    for (const [name, child] of sorted(directory.directories)) {
      const [label, inner] = chain(name, child)
      const at = path === '' ? label : `${path}/${label}`
      rows.push({ kind: 'directory', path: at, name: label, depth, count: inner.count })
      if (!closed.has(at)) list(inner, at, depth + 1)
    }
    for (const change of directory.changes) rows.push({ kind: 'change', change, depth })
  }
  list(treeOf(changes), '', 0)
  return rows
}

/** Sorts changes in the order of the tree. */
export function treeOrder(changes: readonly WireChange[]): WireChange[] {
  return treeRows(changes, new Set()).flatMap((row) => (row.kind === 'change' ? [row.change] : []))
}

/** The directories above a path, outermost first. */
export function directoriesAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function treeOf(changes: readonly WireChange[]): Directory {
  const root: Directory = { directories: new Map(), changes: [], count: 0 }
  for (const change of [...changes].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    let at = root
    at.count++
    for (const name of change.path.split('/').slice(0, -1)) {
      const next = at.directories.get(name) ?? { directories: new Map(), changes: [], count: 0 }
      at.directories.set(name, next)
      next.count++
      at = next
    }
    at.changes.push(change)
  }
  return root
}

function sorted(directories: ReadonlyMap<string, Directory>): [string, Directory][] {
  return [...directories].sort(([a], [b]) => (a < b ? -1 : 1))
}

function chain(name: string, directory: Directory): [string, Directory] {
  const [only, more] = directory.directories
  if (only === undefined || more !== undefined || directory.changes.length > 0) return [name, directory]
  const [inner, child] = only
  return chain(`${name}/${inner}`, child)
}
