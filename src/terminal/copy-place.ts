import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs'
import {
  childOf,
  codeOf,
  digest,
  type EntryType,
  nameOf,
  type Overlay,
  type RelPath,
  ROOT,
} from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import {
  chmodSync,
  cloneFile,
  createFile,
  makeDir,
  makeSymlink,
  makeTempDir,
  removeTree,
  setTimes,
} from '../os/write.js'
import type { CommandEnd, CommandOptions } from './command-io.js'
import type { Place } from './command-place.js'
import { type CopiedEntry, leafEffect, lookOf, namesThere, tokenOf } from './copied-entry.js'
import { copiedGit } from './copied-git.js'
import { copyKept } from './copy-kept.js'
import { type EffectQuery, type Effects, unreadable } from './effects.js'
import type { GitChanges } from './git-layer.js'
import { scratchParent } from './holder.js'
import { isInUse, liveLayer, restingLayer } from './layer.js'
import { runUncontained } from './uncontained.js'

/** How commands run on a copy. */
export interface CopyRunner {
  readonly isolation: Place['isolation']
  readonly startsWith: Place['startsWith']
  readonly isAlive: boolean
  /** A command will run soon: called before the copy is brought up to the stage. */
  prepare?(): void
  run(options: CommandOptions, place: CopyDirs): Promise<CommandEnd>
  readSpool: Place['readSpool']
  publishFeedback: Place['publishFeedback']
  close(): Promise<void>
}

/** The workspace, and the directory with its copy (`tree`) and the temporary files of commands (`tmp`). */
export interface CopyDirs {
  readonly root: string
  readonly scratch: string
}

/** Hooks reach the ledger themselves, or not at all. */
export const NO_SPOOL: Pick<CopyRunner, 'readSpool' | 'publishFeedback'> = {
  readSpool: () => ({ denials: [], delivered: [], more: 0, unread: 0 }),
  publishFeedback: () => undefined,
}

/** A copy that contains nothing: a command can write wherever the user can. */
export function openCopy(root: string): Place {
  const run = runUncontained
  const close = async () => undefined
  return openCopyPlace(root, { isolation: 'none', startsWith: 'command', isAlive: true, run, close, ...NO_SPOOL })
}

/**
 * A copy of the workspace. The effects of commands in it are found by comparing each file with its stamp at the time of copying.
 */
export function openCopyPlace(root: string, runner: CopyRunner): Place {
  const scratch = makeTempDir(`${scratchParent(root)}/escrow-copy-`)
  makeDir(`${scratch}/tree`)
  makeDir(`${scratch}/tmp`)
  const copy = new Copy(root, `${scratch}/tree`)
  let isAlive = true
  return {
    isolation: runner.isolation,
    startsWith: runner.startsWith,
    get isAlive() {
      return isAlive && runner.isAlive
    },
    seed(overlay, closed) {
      removeTree(`${scratch}/stamp`)
      createFile(`${scratch}/stamp`, '', 0o600, false)
      runner.prepare?.()
      copy.seed(overlay, new Set(closed))
    },
    run(options) {
      copy.forgetUnchanged()
      return runner.run(options, { root, scratch })
    },
    // Without containment a process may go on.
    effects: (query) => copy.effects(query, runner.isolation === 'sandbox' && !query.isLive),
    // A command can replace any directory by a link, and no mount would keep our write inside.
    updatePath: () => false,
    has: (path) => lookAt(`${scratch}/tree/${path}`) !== undefined,
    seededState: (path) => copy.seededState(path),
    written: `${scratch}/tree`,
    // Without containment, git would run outside with settings of the agent's.
    git: runner.isolation === 'sandbox' ? copy.git : undefined,
    hiddenNames: () => [],
    copyKept: (from, kept, overlay) =>
      copyKept(kept, {
        from: from.written,
        to: `${scratch}/tree`,
        hiddenNames: () => [],
        modeOf: (dir) => (overlay.lstat(dir)?.mode ?? 0o755) & 0o777,
      }),
    mountedAt: () => lstatSync(`${scratch}/stamp`, { bigint: true }).ctimeNs,
    publishFeedback: (text) => runner.publishFeedback(text),
    readSpool: () => runner.readSpool(),
    clear: () => undefined,
    async close() {
      isAlive = false
      await runner.close()
      removeTree(scratch)
    },
  }
}

class Copy {
  /** Counts the runs of commands. */
  #run = 0
  /** Counts what changes the copy: runs, and bringing it up to the stage. */
  #turn = 0
  readonly #copied = new Map<RelPath, CopiedEntry>()
  #kept: ReadonlySet<RelPath> = new Set()

  constructor(
    private readonly root: string,
    private readonly tree: string,
  ) {
    this.git = copiedGit(tree, this.#copied, () => this.#turn)
  }

  /** What commands changed in the repository's `.git`. */
  readonly git: GitChanges

  // ---- stage to copy

  seed(overlay: Overlay, closed: ReadonlySet<RelPath>): void {
    this.#turn++
    const wanted = new Set<RelPath>()
    const walk = (dir: RelPath): void => {
      const names = new Set<string>()
      for (const { name, type } of overlay.readdir(dir)) {
        const path = childOf(dir, name)
        if (closed.has(path) || !this.#bring(overlay, path, type)) continue
        names.add(name)
        wanted.add(path)
        if (type === 'dir') walk(path)
      }
      for (const name of readdirSync(this.#at(dir))) {
        const path = childOf(dir, name)
        if (!names.has(name) && !this.#kept.has(path)) removeTree(this.#at(path))
      }
      // Last: creating entries needs a writable directory, and changes its times.
      if (dir !== ROOT) chmodSync(this.#at(dir), (overlay.lstat(dir)?.mode ?? 0o755) & 0o7777)
      if (dir !== ROOT) this.#copied.set(dir, { token: 'dir', look: lookOf(lstatSync(this.#at(dir))) })
    }
    walk(ROOT)
    for (const path of this.#copied.keys()) if (!wanted.has(path)) this.#copied.delete(path)
  }

  /** A command starts: from now on any entry may change. */
  forgetUnchanged(): void {
    this.#run++
    this.#turn++
  }

  /** @returns false for a type that cannot be copied. */
  #bring(overlay: Overlay, path: RelPath, type: EntryType): boolean {
    const at = this.#at(path)
    if (type === 'dir') {
      if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) chmodSync(at, 0o700)
      else {
        removeTree(at)
        makeDir(at, 0o700)
      }
      return true
    }
    if (type !== 'file' && type !== 'symlink') return false
    const token = tokenOf(overlay, path, type)
    const copied = this.#copied.get(path)
    if (copied?.token === token && this.#isUnchanged(copied, at)) return true
    removeTree(at)
    try {
      if (type === 'symlink') makeSymlink(overlay.readlink(path), at)
      else this.#file(overlay, path, at)
    } catch (error) {
      // A command cannot read it either.
      if (codeOf(error) === 'EACCES') return false
      throw error
    }
    this.#copied.set(path, { token, look: lookOf(lstatSync(at)) })
    return true
  }

  #file(overlay: Overlay, path: RelPath, at: string): void {
    const { node, lower } = overlay.shownAt(path)
    const stats = overlay.lstat(path)
    const mode = (stats?.mode ?? 0o644) & 0o777
    if (node?.inode === undefined && lower !== undefined) cloneFile(`${this.root}/${lower}`, at)
    else createFile(at, overlay.read(path), mode, false)
    chmodSync(at, mode)
    if (stats) setTimes(at, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  }

  /** An entry that was unchanged after the last command is so still: every process of that command has ended. */
  #isUnchanged({ look, unchangedIn }: CopiedEntry, at: string): boolean {
    if (unchangedIn === this.#run) return true
    const now = lstatSync(at, { throwIfNoEntry: false })
    return now !== undefined && look === lookOf(now)
  }

  // ---- copy to stage

  seededState(path: RelPath): string | undefined {
    const copied = this.#copied.get(path)
    if (copied === undefined) return 'gone'
    const now = lookAt(this.#at(path))
    if (!now || copied.look !== lookOf(now)) return undefined
    if (now.isDirectory()) return 'dir'
    return digest(now.isSymbolicLink() ? readlinkSync(this.#at(path)) : readFileSync(this.#at(path)))
  }

  /** @param isFinal whether nothing can change the copy before the next command */
  effects({ overlay, isLive, isKept }: EffectQuery, isFinal: boolean): Effects {
    // A command that runs can put a link in the place of any directory.
    const layer = isLive ? liveLayer(this.tree) : restingLayer(this.tree)
    const found: Effects = { effects: [], kept: [], unsettled: [], close: () => layer.close() }
    const seen = new Set<RelPath>()
    const attempt = (path: RelPath, work: () => void): void => {
      try {
        work()
      } catch (error) {
        if (!isLive) throw unreadable(error)
        if (!isInUse(error)) throw error
        found.unsettled.push(path)
      }
    }
    const walk = (dir: RelPath): void => {
      for (const name of layer.names(dir)) {
        const path = childOf(dir, name)
        seen.add(path)
        attempt(path, () => {
          const stats = layer.look(path)
          if (stats) look(path, stats)
          else seen.delete(path)
        })
      }
    }
    const look = (path: RelPath, stats: Stats): void => {
      const copied = this.#copied.get(path)
      if (nameOf(path) === '.git') this.#git(path, stats, seen, isLive ? undefined : found)
      else if (copied === undefined && isKept(path, stats.isDirectory())) found.kept.push(path)
      else if (stats.isDirectory()) {
        const mode = stats.mode & 0o7777
        const isNew = copied?.token !== 'dir'
        if (isNew || copied.look !== lookOf(stats))
          found.effects.push({ kind: 'dir', path, mode, isNew: overlay.typeOf(path) !== 'dir' })
        walk(path)
      } else if (copied?.look !== lookOf(stats)) found.effects.push(...leafEffect(path, stats, layer, isLive))
      else if (isFinal) copied.unchangedIn = this.#run
    }
    attempt(ROOT, () => walk(ROOT))
    const unsettled = new Set(found.unsettled)
    const gone = [...this.#copied.keys()].filter((path) => !seen.has(path)).sort()
    for (const path of gone) {
      if (nameOf(path) === '.git' && !isLive) found.effects.push({ kind: 'git', path, count: 1 })
      if (/(^|\/)\.git(\/|$)/.test(path)) continue
      const above = path.slice(0, Math.max(0, path.lastIndexOf('/'))) as RelPath
      if ((above === ROOT || seen.has(above)) && !unsettled.has(above)) found.effects.push({ kind: 'gone', path })
    }
    this.#kept = new Set([...this.#kept, ...found.kept])
    return found
  }

  /** Counts the changed files of a repository, without its index. */
  #git(path: RelPath, stats: Stats, seen: Set<RelPath>, found: Effects | undefined): void {
    let count = 0
    const walk = (each: RelPath, look: Stats): void => {
      seen.add(each)
      if (look.isDirectory())
        for (const name of namesThere(this.#at(each))) {
          const below = lstatSync(this.#at(childOf(each, name)), { throwIfNoEntry: false })
          if (below) walk(childOf(each, name), below)
        }
      else if (this.#copied.get(each)?.look !== lookOf(look) && !/\.git\/index(\.lock)?$/.test(each)) count++
    }
    walk(path, stats)
    for (const each of this.#copied.keys()) if (each.startsWith(`${path}/`) && !seen.has(each)) count++
    found?.effects.push({ kind: 'git', path, count })
  }

  #at(path: RelPath): string {
    return path === ROOT ? this.tree : `${this.tree}/${path}`
  }
}
