import fs from 'node:fs'
import type { Lower } from './lower.js'
import { childOf, type RelPath } from './path.js'
import type { Stage } from './stage.js'

/**
 * Finds the spelling of a name on a disk that ignores case or Unicode form (APFS and NTFS by default). Everything after
 * the resolver sees one spelling: the staged one, else the disk's own, else the requested one.
 */
export type Spelling = (dir: RelPath, name: string) => string

/** Returns the form of a name that such a disk compares. Full Unicode folding differs for rare letters, which stay two names. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Returns whether a directory's disk ignores case: its name in the other case is the same directory. */
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

/** Returns a function that finds the intended name among the staged names and those on disk. */
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
