import { readFileSync, readlinkSync } from 'node:fs'
import { ancestorsOf, childOf, digest, type Overlay, type RelPath, ROOT, type TreeNode } from '../../overlay/index.js'
import { lookAt } from '../host/read.js'
import {
  chmodSync,
  createFile,
  linkSync,
  makeDir,
  makeSymlink,
  removeEmptyDir,
  removeName,
  setTimes,
} from '../host/write.js'

/**
 * What is staged as a layer of the kernel's overlayfs, above the workspace: files, directories, links, and whiteouts for
 * what is deleted. It is brought up to the stage before each command by what has changed since the last.
 */

/** What the layer has at a path. Equal tokens of one kind: the same. */
interface Piece {
  readonly kind: 'file' | 'dir' | 'symlink' | 'whiteout'
  readonly token: string
  make(host: string): void
}

export class Mirror {
  readonly #have = new Map<RelPath, Pick<Piece, 'kind' | 'token'>>()

  /** @param dir the layer, and `whiteout` a character device 0/0, as this process knows them. */
  constructor(
    private readonly dir: string,
    private readonly whiteout: string,
  ) {}

  /**
   * Makes the layer say what the stage says.
   * @param closed paths commands must not see.
   */
  seed(overlay: Overlay, closed: readonly RelPath[]): void {
    const want = new Map<RelPath, Piece>()
    const hidden = new Set<RelPath>(closed)
    for (const [path, piece] of new Pieces(overlay, hidden, this.whiteout).all()) want.set(path, piece)
    const stale = [...this.#have].filter(([path, { kind }]) => want.get(path)?.kind !== kind)
    const changed = [...this.#have].filter(([path, { kind, token }]) => {
      const piece = want.get(path)
      return piece?.kind === kind && piece.token !== token && kind !== 'dir'
    })
    // What is deepest goes first, and comes last.
    for (const [path, { kind }] of [...stale, ...changed].sort(([a], [b]) => (a < b ? 1 : -1))) this.#remove(path, kind)
    for (const [path, piece] of [...want].sort(([a], [b]) => (a < b ? -1 : 1))) this.#bring(path, piece)
  }

  #bring(path: RelPath, piece: Piece): void {
    const had = this.#have.get(path)
    if (had?.token === piece.token) return
    piece.make(`${this.dir}/${path}`)
    this.#have.set(path, { kind: piece.kind, token: piece.token })
  }

  #remove(path: RelPath, kind: Piece['kind']): void {
    if (kind === 'dir') removeEmptyDir(`${this.dir}/${path}`)
    else removeName(`${this.dir}/${path}`)
    this.#have.delete(path)
  }
}

/** What a layer says of a path: the digest of a file's or a link's content, `dir`, `gone`, or nothing. */
export function layerState(layer: string, path: RelPath): string | undefined {
  const at = (each: RelPath) => lookAt(`${layer}/${each}`)
  if (ancestorsOf(path).some((dir) => at(dir)?.isDirectory() === false)) return 'gone'
  const stats = at(path)
  if (stats?.isFile()) return digest(readFileSync(`${layer}/${path}`))
  if (stats?.isSymbolicLink()) return digest(readlinkSync(`${layer}/${path}`))
  return stats && (stats.isDirectory() ? 'dir' : 'gone')
}

/** The pieces a layer needs for a stage. */
class Pieces {
  constructor(
    private readonly overlay: Overlay,
    private readonly closed: ReadonlySet<RelPath>,
    private readonly whiteout: string,
  ) {}

  *all(): Generator<[RelPath, Piece], undefined> {
    yield* this.#below(this.overlay.stage.tree.root, ROOT, true)
    for (const path of this.closed) yield* this.#close(path)
  }

  /** A directory that lets the workspace's own show through: only what the stage has nodes for. */
  *#below(node: TreeNode, path: RelPath, isLowerDir: boolean): Generator<[RelPath, Piece], undefined> {
    for (const [name, child] of node.children ?? []) yield* this.#at(childOf(path, name), child, isLowerDir)
  }

  *#at(path: RelPath, node: TreeNode | undefined, isLowerDir: boolean): Generator<[RelPath, Piece], undefined> {
    if (this.closed.has(path)) return
    const { overlay } = this
    const type = overlay.typeOf(path)
    const below = isLowerDir ? overlay.lower.typeOf(path) : undefined
    if (type === undefined) {
      if (below !== undefined) yield [path, this.#whiteoutPiece()]
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

  /** A directory whose names are the stage's to say: made anew, or renamed. */
  *#whole(path: RelPath, isLowerDir: boolean): Generator<[RelPath, Piece], undefined> {
    const names = new Set<string>()
    for (const { name } of this.overlay.readdir(path)) {
      names.add(name)
      yield* this.#at(childOf(path, name), undefined, isLowerDir)
    }
    if (!isLowerDir) return
    for (const name of this.overlay.lower.names(path))
      if (!names.has(name)) yield [childOf(path, name), this.#whiteoutPiece()]
  }

  /** Hidden, with the directories on the way to it where the layer has none. */
  *#close(path: RelPath): Generator<[RelPath, Piece], undefined> {
    const segments = path.split('/')
    for (let end = 1; end < segments.length; end++) {
      const dir = segments.slice(0, end).join('/') as RelPath
      if (this.closed.has(dir) || this.overlay.typeOf(dir) !== 'dir') return
      yield [dir, directory((this.overlay.lstat(dir)?.mode ?? 0o755) & 0o7777)]
    }
    if (this.overlay.lower.typeOf(path) !== undefined) yield [path, this.#whiteoutPiece()]
  }

  #whiteoutPiece(): Piece {
    return { kind: 'whiteout', token: '-', make: (host) => linkSync(this.whiteout, host) }
  }

  #file(path: RelPath): Piece {
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

function symlink(target: string): Piece {
  return { kind: 'symlink', token: target, make: (host) => makeSymlink(target, host) }
}

/** Made, or given another mode. */
function directory(mode: number): Piece {
  return {
    kind: 'dir',
    token: String(mode),
    make(host) {
      try {
        makeDir(host, mode)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      chmodSync(host, mode)
    },
  }
}
