import { readFileSync, readlinkSync } from 'node:fs'
import {
  ancestorsOf,
  childOf,
  codeOf,
  digest,
  type Overlay,
  type RelPath,
  ROOT,
  type TreeNode,
} from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import {
  chmodSync,
  createFile,
  linkSync,
  makeDir,
  makeSymlink,
  removeEmptyDir,
  removeName,
  setTimes,
} from '../os/write.js'

/**
 * The stage as a layer of the kernel's overlayfs above the workspace: files, directories, links, and whiteouts for deletions. Before
 * each command it is updated by the difference to the last.
 */

/** The layer's entry at a path. Entries of one kind with equal tokens are equal. */
interface LayerEntry {
  readonly kind: 'file' | 'dir' | 'symlink' | 'whiteout'
  readonly token: string
  make(host: string): void
}

/** Mode bits that let the owner of a directory read and change it. */
const OWNER = 0o700

export class Mirror {
  readonly #entries = new Map<RelPath, Pick<LayerEntry, 'kind' | 'token'>>()

  /** @param dir the layer. @param whiteout a character device 0/0. Both are paths of this process. */
  constructor(
    private readonly dir: string,
    private readonly whiteout: string,
  ) {}

  /**
   * Brings the layer up to the stage.
   * @param closed paths commands must not see.
   */
  seed(overlay: Overlay, closed: readonly RelPath[]): void {
    const want = new Map<RelPath, LayerEntry>()
    const hidden = new Set<RelPath>(closed)
    for (const [path, entry] of new LayerPlan(overlay, hidden, this.whiteout).all()) want.set(path, entry)
    const stale = [...this.#entries].filter(([path, { kind }]) => want.get(path)?.kind !== kind)
    const changed = [...this.#entries].filter(([path, { kind, token }]) => {
      const entry = want.get(path)
      return entry?.kind === kind && entry.token !== token && kind !== 'dir'
    })
    this.open()
    // Deepest first for removals, parents first for creations.
    for (const [path, { kind }] of [...stale, ...changed].sort(([a], [b]) => (a < b ? 1 : -1))) this.#remove(path, kind)
    for (const [path, entry] of [...want].sort(([a], [b]) => (a < b ? -1 : 1))) this.#create(path, entry)
    this.#close()
  }

  /** Lets this process read and change the directories whose staged mode excludes their owner, until the next {@link seed}. */
  open(): void {
    for (const [path] of this.#excluding()) chmodSync(`${this.dir}/${path}`, OWNER)
  }

  /** Gives these directories their modes, the deepest first. */
  #close(): void {
    for (const [path, { token }] of this.#excluding().reverse()) chmodSync(`${this.dir}/${path}`, Number(token))
  }

  /** Parents first: they were created before what is in them. */
  #excluding() {
    return [...this.#entries].filter(([, { kind, token }]) => kind === 'dir' && (Number(token) & OWNER) !== OWNER)
  }

  #create(path: RelPath, entry: LayerEntry): void {
    const had = this.#entries.get(path)
    if (had?.token === entry.token) return
    entry.make(`${this.dir}/${path}`)
    this.#entries.set(path, { kind: entry.kind, token: entry.token })
  }

  #remove(path: RelPath, kind: LayerEntry['kind']): void {
    if (kind === 'dir') removeEmptyDir(`${this.dir}/${path}`)
    else removeName(`${this.dir}/${path}`)
    this.#entries.delete(path)
  }
}

/** The state of a path in a layer: the digest of a file or link target, `dir`, `gone`, or undefined if the layer has no entry. */
export function layerState(layer: string, path: RelPath): string | undefined {
  const at = (each: RelPath) => lookAt(`${layer}/${each}`)
  if (ancestorsOf(path).some((dir) => at(dir)?.isDirectory() === false)) return 'gone'
  const stats = at(path)
  if (stats?.isFile()) return digest(readFileSync(`${layer}/${path}`))
  if (stats?.isSymbolicLink()) return digest(readlinkSync(`${layer}/${path}`))
  return stats && (stats.isDirectory() ? 'dir' : 'gone')
}

/** The entries that a layer needs to represent a stage. */
class LayerPlan {
  constructor(
    private readonly overlay: Overlay,
    private readonly closed: ReadonlySet<RelPath>,
    private readonly whiteout: string,
  ) {}

  *all(): Generator<[RelPath, LayerEntry], undefined> {
    yield* this.#below(this.overlay.stage.tree.root, ROOT, true)
    for (const path of this.closed) yield* this.#close(path)
  }

  /** The staged entries of a directory that is merged with the workspace's. */
  *#below(node: TreeNode, path: RelPath, isLowerDir: boolean): Generator<[RelPath, LayerEntry], undefined> {
    for (const [name, child] of node.children ?? []) yield* this.#at(childOf(path, name), child, isLowerDir)
  }

  *#at(path: RelPath, node: TreeNode | undefined, isLowerDir: boolean): Generator<[RelPath, LayerEntry], undefined> {
    if (this.closed.has(path)) return
    const { overlay } = this
    const type = overlay.typeOf(path)
    const below = isLowerDir ? overlay.lower.typeOf(path) : undefined
    if (type === undefined) {
      if (below !== undefined) yield [path, this.#whiteout()]
    } else if (type === 'file') yield [path, this.#file(path)]
    else if (type === 'symlink') yield [path, symlink(overlay.readlink(path))]
    else if (type === 'dir') {
      yield [path, directory((overlay.lstat(path)?.mode ?? 0o755) & 0o7777)]
      const shows = below === 'dir' && overlay.placeOf(path).lower === path
      const staged = node ?? overlay.placeOf(path).node
      if (shows && staged) yield* this.#below(staged, path, true)
      else if (!shows) yield* this.#whole(path, below === 'dir')
    }
  }

  /** All entries of a directory that replaces the workspace's: it was recreated or renamed. */
  *#whole(path: RelPath, isLowerDir: boolean): Generator<[RelPath, LayerEntry], undefined> {
    const names = new Set<string>()
    for (const { name } of this.overlay.readdir(path)) {
      names.add(name)
      yield* this.#at(childOf(path, name), undefined, isLowerDir)
    }
    if (!isLowerDir) return
    for (const name of this.overlay.lower.names(path))
      if (!names.has(name)) yield [childOf(path, name), this.#whiteout()]
  }

  /** Hides a closed path, with entries for its ancestors. */
  *#close(path: RelPath): Generator<[RelPath, LayerEntry], undefined> {
    const segments = path.split('/')
    for (let end = 1; end < segments.length; end++) {
      const dir = segments.slice(0, end).join('/') as RelPath
      if (this.closed.has(dir) || this.overlay.typeOf(dir) !== 'dir') return
      yield [dir, directory((this.overlay.lstat(dir)?.mode ?? 0o755) & 0o7777)]
    }
    if (this.overlay.lower.typeOf(path) !== undefined) yield [path, this.#whiteout()]
  }

  #whiteout(): LayerEntry {
    return { kind: 'whiteout', token: '-', make: (host) => linkSync(this.whiteout, host) }
  }

  #file(path: RelPath): LayerEntry {
    const { overlay } = this
    const stats = overlay.lstatBig(path)
    const mode = Number(stats?.mode ?? 0o644n) & 0o777
    const times = [stats?.atimeNs ?? 0n, stats?.mtimeNs ?? 0n].map((time) => Number(time) / 1e9)
    const inode = overlay.placeOf(path).node?.inode
    const content = inode ? inode.digest() : `${stats?.ino} ${stats?.size} ${stats?.ctimeNs}`
    return {
      kind: 'file',
      token: `${mode} ${stats?.mtimeNs} ${content}`,
      make(host) {
        createFile(host, overlay.read(path), mode, false)
        const [atime = 0, mtime = 0] = times
        setTimes(host, atime, mtime)
      },
    }
  }
}

function symlink(target: string): LayerEntry {
  return { kind: 'symlink', token: target, make: (host) => makeSymlink(target, host) }
}

/** Creates the directory, or changes its mode. Until the layer is complete, its owner can change it. */
function directory(mode: number): LayerEntry {
  return {
    kind: 'dir',
    token: String(mode),
    make(host) {
      try {
        makeDir(host, OWNER)
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      chmodSync(host, mode | OWNER)
    },
  }
}
