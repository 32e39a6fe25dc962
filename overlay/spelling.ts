import fs from 'node:fs'
import type { Lower } from './lower.js'
import { childOf, type RelPath } from './path.js'
import type { Stage } from './stage.js'

/**
 * Names on a disk that takes those differing in case or Unicode form alone for one (APFS, NTFS as they usually are).
 * Everything behind the resolver sees one spelling of a name: the one that is staged, else the disk's own, else the one
 * that was asked for.
 */
export type Spelling = (dir: RelPath, name: string) => string

/** What such a disk compares. Full Unicode folding differs from it in rare letters; those stay two names. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** Whether a directory's disk folds names: its own name, in the other case, leads to the very same directory. */
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

/** Finds the name that is meant, among what is staged and what the disk has. */
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
