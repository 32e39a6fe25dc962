import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import { childOf, codeOf, digest, nameOf, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import { lookAt } from '../host/read.js'
import {
  chmodSync,
  cloneFile,
  createFile,
  makeDir,
  makeSymlink,
  makeTempDir,
  removeTree,
  setTimes,
} from '../host/write.js'
import { carryOver } from './carry-over.js'
import type { Looking, Place } from './command-place.js'
import { type Effects, unreadable } from './effects.js'
import { placeNextTo } from './holder.js'
import { type Layer, readSettled, restingLayer, stampOf } from './layer.js'
import { runUncontained } from './uncontained.js'

/**
 * A copy of the workspace, for machines that refuse namespaces. It holds nothing in: a command can write wherever the
 * user can, by any name but the copy's. What it does in the copy is told by comparing with what was noted as it was made.
 */
export function openCopy(root: string): Place {
  const scratch = makeTempDir(`${placeNextTo(root)}/escrow-copy-`)
  makeDir(`${scratch}/tree`)
  makeDir(`${scratch}/tmp`)
  const copy = new Copy(root, `${scratch}/tree`)
  let isAlive = true
  return {
    isolation: 'none',
    get isAlive() {
      return isAlive
    },
    seed(overlay, closed) {
      removeTree(`${scratch}/stamp`)
      createFile(`${scratch}/stamp`, '', 0o600, false)
      copy.seed(overlay, new Set(closed))
    },
    run: (options) => runUncontained(options, { root, scratch }),
    effects: (looking) => copy.effects(looking),
    // Nothing keeps its command from leading us out of it.
    show: () => false,
    has: (path) => lookAt(`${scratch}/tree/${path}`) !== undefined,
    seeded: (path) => copy.seeded(path),
    written: `${scratch}/tree`,
    hidden: () => [],
    bring: (from, kept, overlay) =>
      carryOver(kept, {
        from: from.written,
        to: `${scratch}/tree`,
        hidden: () => [],
        modeOf: (dir) => (overlay.lstat(dir)?.mode ?? 0o755) & 0o777,
      }),
    since: () => lstatSync(`${scratch}/stamp`, { bigint: true }).ctimeNs,
    // A hook there writes the ledger itself.
    offer: () => undefined,
    readSpool: () => ({ denials: [], delivered: [], more: 0, unread: 0 }),
    clear: () => undefined,
    async close() {
      isAlive = false
      removeTree(scratch)
    },
  }
}

/** What was put at a path: of what in the stage, and how it looked then. */
interface Noted {
  readonly token: string
  readonly look: string
}

class Copy {
  readonly #noted = new Map<RelPath, Noted>()
  #kept: ReadonlySet<RelPath> = new Set()

  constructor(
    private readonly root: string,
    private readonly tree: string,
  ) {}

  // ---- bringing it up to the stage

  seed(overlay: Overlay, closed: ReadonlySet<RelPath>): void {
    const wanted = new Set<RelPath>()
    const walk = (dir: RelPath): void => {
      const names = new Set<string>()
      for (const { name } of overlay.readdir(dir)) {
        const path = childOf(dir, name)
        if (closed.has(path) || !this.#bring(overlay, path)) continue
        names.add(name)
        wanted.add(path)
        if (overlay.typeOf(path) === 'dir') walk(path)
      }
      for (const name of readdirSync(this.#at(dir))) {
        const path = childOf(dir, name)
        if (!names.has(name) && !this.#kept.has(path)) removeTree(this.#at(path))
      }
      // Last: what is made in it needs it to be writable, and changes its times.
      if (dir !== ROOT) chmodSync(this.#at(dir), (overlay.lstat(dir)?.mode ?? 0o755) & 0o7777)
      if (dir !== ROOT) this.#noted.set(dir, { token: 'dir', look: lookOf(lstatSync(this.#at(dir))) })
    }
    walk(ROOT)
    for (const path of this.#noted.keys()) if (!wanted.has(path)) this.#noted.delete(path)
  }

  /** False for what cannot be copied. */
  #bring(overlay: Overlay, path: RelPath): boolean {
    const type = overlay.typeOf(path)
    const at = this.#at(path)
    const now = lstatSync(at, { throwIfNoEntry: false })
    if (type === 'dir') {
      if (now?.isDirectory()) chmodSync(at, 0o700)
      else {
        removeTree(at)
        makeDir(at, 0o700)
      }
      return true
    }
    if (type !== 'file' && type !== 'symlink') return false
    const token = tokenOf(overlay, path, type)
    const noted = this.#noted.get(path)
    if (now && noted?.token === token && noted.look === lookOf(now)) return true
    removeTree(at)
    try {
      if (type === 'symlink') makeSymlink(overlay.readlink(path), at)
      else this.#file(overlay, path, at)
    } catch (error) {
      // What the user cannot read, a command cannot either.
      if (codeOf(error) === 'EACCES') return false
      throw error
    }
    this.#noted.set(path, { token, look: lookOf(lstatSync(at)) })
    return true
  }

  #file(overlay: Overlay, path: RelPath, at: string): void {
    const { node, lower } = overlay.placeOf(path)
    const stats = overlay.lstat(path)
    const mode = (stats?.mode ?? 0o644) & 0o777
    if (node?.inode === undefined && lower !== undefined) cloneFile(`${this.root}/${lower}`, at)
    else createFile(at, overlay.read(path), mode, false)
    chmodSync(at, mode)
    if (stats) setTimes(at, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  }

  // ---- what became of it

  seeded(path: RelPath): string | undefined {
    const noted = this.#noted.get(path)
    if (noted === undefined) return 'gone'
    const now = lookAt(this.#at(path))
    if (!now || noted.look !== lookOf(now)) return undefined
    if (now.isDirectory()) return 'dir'
    return digest(now.isSymbolicLink() ? readlinkSync(this.#at(path)) : readFileSync(this.#at(path)))
  }

  effects({ overlay, isLive, isKept }: Looking): Effects {
    const found: Effects = { effects: [], kept: [], unsettled: [], close: () => undefined }
    const seen = new Set<RelPath>()
    const resting = isLive ? undefined : restingLayer(this.tree)
    const walk = (dir: RelPath): void => {
      for (const name of resting ? namesIn(resting, dir) : namesThere(this.#at(dir))) {
        const path = childOf(dir, name)
        const stats = lstatSync(this.#at(path), { throwIfNoEntry: false })
        if (stats) look(path, stats)
      }
    }
    const look = (path: RelPath, stats: Stats): void => {
      seen.add(path)
      const noted = this.#noted.get(path)
      if (nameOf(path) === '.git') this.#git(path, stats, seen, isLive ? undefined : found)
      else if (noted === undefined && isKept(path, stats.isDirectory())) found.kept.push(path)
      else if (stats.isDirectory()) {
        const mode = stats.mode & 0o7777
        const isNew = noted?.token !== 'dir'
        if (isNew || noted.look !== lookOf(stats))
          found.effects.push({ kind: 'dir', path, mode, isNew: overlay.typeOf(path) !== 'dir' })
        walk(path)
      } else if (noted?.look !== lookOf(stats)) this.#leaf(path, stats, resting, found)
    }
    walk(ROOT)
    const gone = [...this.#noted.keys()].filter((path) => !seen.has(path)).sort()
    for (const path of gone) {
      if (/(^|\/)\.git(\/|$)/.test(path)) continue
      const above = path.slice(0, Math.max(0, path.lastIndexOf('/'))) as RelPath
      if (above === ROOT || seen.has(above)) found.effects.push({ kind: 'gone', path })
    }
    this.#kept = new Set([...this.#kept, ...found.kept])
    return found
  }

  #leaf(path: RelPath, stats: Stats, resting: Layer | undefined, found: Effects): void {
    const at = this.#at(path)
    const mode = stats.mode & 0o7777
    const { size, ino, mtimeMs } = stats
    if (stats.isSymbolicLink()) found.effects.push({ kind: 'symlink', path, target: readlinkSync(at) })
    else if (stats.isFile())
      found.effects.push({
        kind: 'file',
        path,
        mode,
        size,
        ino,
        mtimeMs,
        stamp: stampOf(stats),
        read: () => (resting ? resting.read(path, stats) : readSettled(at, stats)),
      })
    else if (resting) found.effects.push({ kind: 'other', path, what: 'no file' })
  }

  /** How many of a repository's own files changed, beside its index. */
  #git(path: RelPath, stats: Stats, seen: Set<RelPath>, found: Effects | undefined): void {
    let count = 0
    const walk = (each: RelPath, look: Stats): void => {
      seen.add(each)
      if (look.isDirectory())
        for (const name of namesThere(this.#at(each))) {
          const below = lstatSync(this.#at(childOf(each, name)), { throwIfNoEntry: false })
          if (below) walk(childOf(each, name), below)
        }
      else if (this.#noted.get(each)?.look !== lookOf(look) && !/\.git\/index(\.lock)?$/.test(each)) count++
    }
    walk(path, stats)
    for (const each of this.#noted.keys()) if (each.startsWith(`${path}/`) && !seen.has(each)) count++
    found?.effects.push({ kind: 'git', path, count })
  }

  #at(path: RelPath): string {
    return path === ROOT ? this.tree : `${this.tree}/${path}`
  }
}

/** What is gone, or locked away by a command at work, has no names now. */
function namesThere(host: string): string[] {
  try {
    return readdirSync(host)
  } catch {
    return []
  }
}

function namesIn(resting: Layer, dir: RelPath): string[] {
  try {
    return resting.names(dir)
  } catch (error) {
    throw unreadable(error)
  }
}

/** Of a directory its mode alone: its times and size change with what is in it. */
function lookOf(stats: Stats): string {
  return stats.isDirectory() ? `dir ${stats.mode}` : stampOf(stats)
}

function tokenOf(overlay: Overlay, path: RelPath, type: 'file' | 'symlink'): string {
  if (type === 'symlink') return `link ${overlay.readlink(path)}`
  const stats = overlay.lstatBig(path)
  const inode = overlay.placeOf(path).node?.inode
  const content = inode ? inode.digest() : `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`
  return `${stats?.mode} ${stats?.mtimeNs} ${content}`
}
