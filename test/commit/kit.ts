import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileState } from '../../overlay/change.js'
import { digest, EMPTY_DIGEST } from '../../overlay/digest.js'
import type { CommitEntry, CommitInput, CommitOp, JsonObject } from '../../src/commit/types.js'
import type { Layout } from '../../src/core/layout.js'
import { layoutAt } from '../../src/os/workspace-state.js'

/** The entry at a path, in short. Modes default to 644 and 755. */
export type Thing = { file: string; mode?: number } | { link: string } | { dir: true; mode?: number }
export type Tree = Record<string, Thing>

export interface Bench {
  readonly root: string
  readonly layout: Layout
  /** A fake of the ledger. */
  readonly ledger: JsonObject[]
  append(record: JsonObject): Promise<void>
  remove(): void
}

export function newBench(tree: Tree = {}): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-commit-')))
  const ledger: JsonObject[] = []
  grow(root, tree)
  mkdirSync(join(root, '.orchestration'))
  return {
    root,
    layout: layoutAt(root),
    ledger,
    append: async (record) => {
      if (!ledger.some((known) => known.id === record.id)) ledger.push(record)
    },
    remove: () => {
      chmodTree(root)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

function grow(root: string, tree: Tree): void {
  const later: (() => void)[] = []
  for (const [path, thing] of Object.entries(tree)) {
    const full = join(root, path)
    mkdirSync(dirname(full), { recursive: true })
    if ('link' in thing) symlinkSync(thing.link, full)
    else if ('file' in thing) {
      writeFileSync(full, thing.file)
      chmodSync(full, thing.mode ?? 0o644)
    } else {
      mkdirSync(full, { recursive: true })
      later.unshift(() => chmodSync(full, thing.mode ?? 0o755))
    }
  }
  for (const finish of later) finish()
}

/** Everything below the root except `.orchestration`, one line for each path. */
export function listing(root: string): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path)).sort()) {
      const below = path === '' ? name : `${path}/${name}`
      if (below === '.orchestration') continue
      const full = join(root, below)
      const stats = lstatSync(full)
      const mode = (stats.mode & 0o7777).toString(8)
      if (stats.isSymbolicLink()) found[below] = `link ${readlinkSync(full)}`
      else if (stats.isDirectory()) {
        found[below] = `dir ${mode}`
        walk(below)
      } else found[below] = `file ${mode} ${readFileSync(full, 'utf8')}`
    }
  }
  walk('')
  return found
}

export function stateOf(thing: Thing | null): FileState | null {
  if (thing === null) return null
  if ('link' in thing) return { type: 'symlink', digest: digest(thing.link), mode: 0o777 }
  if ('file' in thing) return { type: 'file', digest: digest(thing.file), mode: thing.mode ?? 0o644 }
  return { type: 'dir', digest: EMPTY_DIGEST, mode: thing.mode ?? 0o755 }
}

/** The entry of a commit that replaces one state of a path with another. */
export function entryFor(path: string, from: Thing | null, to: Thing | null): CommitEntry {
  const content = to === null || 'dir' in to ? undefined : 'link' in to ? to.link : to.file
  return {
    path,
    op: opFor(from, to),
    old: stateOf(from),
    new: stateOf(to),
    ...(content !== undefined && { content: () => Buffer.from(content) }),
  }
}

function opFor(from: Thing | null, to: Thing | null): CommitOp {
  const isDir = (thing: Thing | null) => thing !== null && 'dir' in thing
  if (from === null) return isDir(to) ? 'mkdir' : 'create'
  if (to === null) return isDir(from) ? 'rmdir' : 'delete'
  const isSame = stateOf(from)?.digest === stateOf(to)?.digest && stateOf(from)?.type === stateOf(to)?.type
  return isSame ? 'chmod' : 'overwrite'
}

/** The input of a commit without a policy check, with a ledger record that names its transaction. */
export function inputFor(bench: Bench, entries: CommitEntry[], more: Partial<CommitInput> = {}): CommitInput {
  return {
    layout: bench.layout,
    sessionId: 'tester',
    entries,
    gate: () => undefined,
    records: ({ seq, tx }) => [{ id: `record-${tx}`, seq, tx }],
    append: bench.append,
    ...more,
  }
}

function chmodTree(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return
  chmodSync(path, 0o755)
  for (const name of readdirSync(path)) chmodTree(join(path, name))
}
