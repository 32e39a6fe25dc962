import fs from 'node:fs'
import type { Lower } from './lower.js'
import { childOf, type RelPath } from './path.js'
import type { Stage } from './stage.js'

/**
 * Names on a disk that ignores case or Unicode form (APFS and NTFS by default). Everything behind the resolver sees one
 * spelling of a name: the staged one, else the disk's own, else the requested one.
 */
export type Spelling = (dir: RelPath, name: string) => string

/** The form of a name that such a disk compares. Full Unicode folding differs in rare letters, which stay two names. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Whether a directory's disk ignores case: its own name in the other case is the same directory. */
export function foldsNames(dir: string): boolean {
  const slash = dir.lastIndexOf('/') + 1
  const name = dir.slice(slash)
  const other = name.toUpperCase() === name ? name.toLowerCase() : name.toUpperCase()
  if (other === name) return false
  const [here, there] = [look(dir), look(dir.slice(0, slash) + other)]
  return here !== undefined && there !== undefined && here.ino === there.ino && here.dev === there.dev
}

function look(path: string): fs.BigIntStats | undefined {
  return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** Finds the meant name among the staged names and those on disk. */
export function spellingOf(stage: Stage, lower: Lower): Spelling {
  return (dir, name) => {
    const { node, lower: below } = stage.tree.find(dir)
    const folded = foldName(name)
    const staged = node?.children?.get(name) ? name : [...(node?.children?.keys() ?? [])].find(isSame(folded))
    if (staged !== undefined) return staged
    if (below === undefined || lower.typeOf(childOf(below, name)) === undefined) return name
    const names = lower.names(below)
    return names.includes(name) ? name : (names.find(isSame(folded)) ?? name)
  }
}

const isSame = (folded: string) => (each: string) => foldName(each) === folded
