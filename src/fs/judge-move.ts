import { childOf, type Entry, type EntryType, type RelPath } from '../../overlay/index.js'
import type { Effect } from '../core/decision.js'
import { Denied } from '../core/denials.js'

/** The methods of the guarded layer that decide a move. */
export interface MoveLayer {
  typeOf(path: RelPath): EntryType | undefined
  readlink(path: RelPath): string
  /** Includes hidden entries. */
  allEntries(path: RelPath): readonly Entry[]
  /** Throws Denied. */
  judge(effect: Effect, path: RelPath): void
  /** Throws Denied. */
  judgeLink(target: string, link: RelPath): void
  /** Whether one decision applies to everything below a directory. */
  alikeBelow(dir: RelPath): boolean
  readonly rules: {
    knownBelow(dir: RelPath): Iterable<RelPath>
    mayBeProtected(name: string): boolean
  }
}

/** How many entries of a tree are checked before it moves. */
const MAX_CHECKED = 512

/**
 * Judges a move: an entry that is protected, or outside the intent, must not leave with its parent. A tree moves in one
 * step, whatever its size. If one decision applies to all of it at both paths, only its first entries are checked for
 * protected names, and every name that the session knows. Such names deeper in the tree are found in the review and at
 * the commit, where each file is judged. If decisions differ below, every entry is judged here. Throws Denied.
 */
export function judgeMove(layer: MoveLayer, from: RelPath, to: RelPath): void {
  const type = layer.typeOf(from)
  judgeMoved(layer, from, to, type)
  // The move overwrites the entry that it replaces.
  if (layer.typeOf(to) === 'file') layer.judge('put', to)
  if (type !== 'dir') return
  if (!layer.alikeBelow(from) || !layer.alikeBelow(to)) {
    judgeEntries(layer, from, to)
    return
  }
  for (const path of layer.rules.knownBelow(from)) if (layer.typeOf(path) !== undefined) layer.judge('move', path)
  for (const path of layer.rules.knownBelow(to)) layer.judge('move', path)
  judgeExceptions(layer, from, to)
}

function judgeMoved(layer: MoveLayer, from: RelPath, to: RelPath, type: EntryType | undefined): void {
  layer.judge('move', from)
  layer.judge('move', to)
  // A relative link has another target at its new place.
  if (type === 'symlink') layer.judgeLink(layer.readlink(from), to)
}

/** Says that something keeps the tree in its place, without the names of hidden entries. */
function judgeBelow(layer: MoveLayer, from: RelPath, to: RelPath, type: EntryType | undefined): void {
  try {
    judgeMoved(layer, from, to, type)
  } catch (error) {
    if (!(error instanceof Denied) || error.denial.reason !== 'hidden') throw error
    const message = 'Access Denied: a rule in policy.yaml keeps something in this directory where it is.'
    throw new Denied({ reason: 'access_denied', message, hint: 'Move its files one by one, or ask a person.' })
  }
}

function judgeEntries(layer: MoveLayer, from: RelPath, to: RelPath): void {
  for (const { name, type } of layer.allEntries(from)) {
    const [here, there] = [childOf(from, name), childOf(to, name)]
    judgeBelow(layer, here, there, type)
    if (type === 'dir') judgeEntries(layer, here, there)
  }
}

/** The nearest first: a repository's own `.git`, an agent's rules, a package's settings. */
function judgeExceptions(layer: MoveLayer, from: RelPath, to: RelPath): void {
  const trees = [[from, to] as const]
  let remaining = MAX_CHECKED
  for (let tree = trees.shift(); tree; tree = trees.shift()) {
    for (const { name, type } of layer.allEntries(tree[0])) {
      if (remaining-- === 0) return
      const [here, there] = [childOf(tree[0], name), childOf(tree[1], name)]
      if (type === 'symlink' || layer.rules.mayBeProtected(name)) judgeBelow(layer, here, there, type)
      if (type === 'dir') trees.push([here, there])
    }
  }
}
