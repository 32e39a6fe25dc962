import type { BigIntStats } from 'node:fs'
import { digest } from '../../overlay/digest.js'
import { Errno } from '../../overlay/errno.js'
import type { Disk } from '../../src/commit/disk.js'
import type { Thing, Tree } from '../commit/kit.js'

/**
 * A disk in memory that simulates power cuts. A change of a name (made, removed, moved) is durable once its directory
 * is synced; for a move one of its two directories suffices, because a rename is journalled as one change. Until then a
 * power cut may keep or lose each change independently. A file's bytes are durable once the file is synced. A flush
 * makes everything durable.
 */

interface Inode {
  readonly ino: bigint
  readonly type: 'file' | 'dir' | 'symlink'
  mode: number
  data: Buffer
  /** Whether the data is durable. */
  synced: boolean
  readonly names: Map<string, Inode>
}

/** One change of names, which is journalled as a whole or not at all. */
interface NameChange {
  readonly dir: Inode
  readonly name: string
  readonly set: Inode | null
  /** On a rename: the old name, which the same change removes. */
  readonly from?: { readonly dir: Inode; readonly name: string }
}

/** The result of a power cut for bytes that were written and not synced. */
export type Torn = 'nothing' | 'half' | 'all' | 'noise'

export class MemoryDisk {
  #nextInode = 1n
  readonly #root: Inode
  /** The durable names, by directory. */
  #durable = new Map<Inode, Map<string, Inode>>()
  #pending: NameChange[] = []

  constructor(tree: Tree = {}) {
    this.#root = this.#inode('dir', 0o755, Buffer.alloc(0))
    for (const [path, thing] of Object.entries(tree)) this.#plant(path, thing)
    for (const [path, thing] of Object.entries(tree))
      if ('dir' in thing) this.#at(`/${path}`).mode = thing.mode ?? 0o755
    this.flush()
  }

  /** The number of changes of names that a power cut could lose. */
  get atRisk(): number {
    return this.#pending.length
  }

  /** The disk after a power cut. @param survives for each change at risk, in order, whether it survives */
  afterCut(survives: readonly boolean[], torn: Torn): MemoryDisk {
    const after = new MemoryDisk()
    const copies = new Map<Inode, Inode>()
    after.#nextInode = this.#nextInode
    const names = new Map([...this.#durable].map(([dir, entries]) => [dir, new Map(entries)]))
    this.#pending.forEach((change, i) => {
      if (survives[i] !== true) return
      if (change.from) names.get(change.from.dir)?.delete(change.from.name)
      const entries = names.get(change.dir) ?? new Map<string, Inode>()
      names.set(change.dir, entries)
      if (change.set === null) entries.delete(change.name)
      else entries.set(change.name, change.set)
    })
    const copy = (inode: Inode): Inode => {
      const known = copies.get(inode)
      if (known) return known
      const data = inode.synced ? inode.data : tearBytes(inode.data, torn)
      const clone = { ...after.#inode(inode.type, inode.mode, data), ino: inode.ino }
      copies.set(inode, clone)
      for (const [name, child] of names.get(inode) ?? []) clone.names.set(name, copy(child))
      return clone
    }
    for (const [name, child] of names.get(this.#root) ?? []) after.#root.names.set(name, copy(child))
    after.flush()
    return after
  }

  /** Everything below `root` except `.orchestration`, one line for each path. */
  listing(root: string): Record<string, string> {
    const found: Record<string, string> = {}
    const walk = (inode: Inode, path: string) => {
      for (const [name, child] of [...inode.names].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (name === '.orchestration') continue
        const below = path === '' ? name : `${path}/${name}`
        found[below] = `${child.type} ${child.mode.toString(8)} ${child.data.toString()}`
        walk(child, below)
      }
    }
    walk(this.#at(root), '')
    return found
  }

  flush(): void {
    this.#pending = []
    this.#durable = new Map()
    const keep = (inode: Inode) => {
      if (this.#durable.has(inode)) return
      inode.synced = true
      this.#durable.set(inode, new Map(inode.names))
      for (const child of inode.names.values()) keep(child)
    }
    keep(this.#root)
  }

  readonly disk: Disk = {
    holdsDirectories: false,
    createFile: (path, data, mode, sync) => {
      const inode = this.#inode('file', mode, Buffer.from(data))
      this.#make(path, inode)
      inode.synced = sync
    },
    makeDir: (path, mode = 0o777) => this.#make(path, this.#inode('dir', mode & ~0o022, Buffer.alloc(0))),
    ensurePrivateDir: (path) => {
      let created: string | undefined
      const parts = path.split('/')
      for (let i = 2; i <= parts.length; i += 1) {
        const dir = parts.slice(0, i).join('/')
        if (this.#find(dir)) continue
        this.disk.makeDir(dir)
        created ??= dir
      }
      return created
    },
    setMode: (path, mode) => {
      this.#at(path).mode = mode
    },
    setOwner: () => undefined,
    setTimes: () => undefined,
    symlink: (target, path) => {
      const inode = this.#inode('symlink', 0o777, Buffer.from(target))
      this.#make(path, inode)
      // A short target is stored in the inode, so it is durable with the name.
      inode.synced = true
    },
    link: (existing, path) => this.#make(String(path), this.#at(String(existing))),
    rename: (from, to) => {
      const inode = this.#at(String(from))
      const [source, target] = [this.#parent(String(from)), this.#parent(String(to))]
      const replaced = target.dir.names.get(target.name)
      if (replaced === inode) return
      if (replaced?.type === 'dir' && (inode.type !== 'dir' || replaced.names.size > 0)) throw new Errno('ENOTEMPTY')
      if (replaced && replaced.type !== 'dir' && inode.type === 'dir') throw new Errno('ENOTDIR')
      source.dir.names.delete(source.name)
      target.dir.names.set(target.name, inode)
      this.#pending.push({ ...target, set: inode, from: source })
    },
    unlink: (path) => {
      const { dir, name } = this.#parent(path)
      if (!dir.names.delete(name)) return
      this.#pending.push({ dir, name, set: null })
    },
    rmdir: (path) => {
      const inode = this.#find(path)
      if (inode === undefined) return true
      if (inode.names.size > 0) return false
      this.disk.unlink(path)
      return true
    },
    removeTree: (path) => {
      const inode = this.#find(path)
      if (inode === undefined) return
      for (const name of [...inode.names.keys()]) this.disk.removeTree(`${path}/${name}`)
      this.disk.unlink(path)
    },
    syncDir: (path) => {
      const dir = this.#at(path)
      this.#pending = this.#pending.filter((change) => {
        if (change.dir !== dir && change.from?.dir !== dir) return true
        this.#settle(change)
        return false
      })
    },
    syncFile: (path) => {
      this.#at(path).synced = true
    },
    flush: () => {
      this.flush()
      return true
    },
    openDir: () => {
      throw new Error('this disk holds no directories')
    },
    closeDir: () => undefined,
    digestFile: (path) => digest(this.#file(path)),
    readFile: (path) => Buffer.from(this.#file(path)),
    lstat: (path) => {
      const inode = this.#find(path)
      return inode && this.#stats(inode)
    },
    assertWritable: () => undefined,
    readlink: (path) => Buffer.from(this.#at(path).data),
    readdir: (path) => [...(this.#find(path)?.names.keys() ?? [])],
  }

  #settle(change: NameChange): void {
    if (change.from) this.#durable.get(change.from.dir)?.delete(change.from.name)
    const entries = this.#durable.get(change.dir) ?? new Map<string, Inode>()
    this.#durable.set(change.dir, entries)
    if (change.set === null) entries.delete(change.name)
    else entries.set(change.name, change.set)
  }

  #inode(type: Inode['type'], mode: number, data: Buffer): Inode {
    return { ino: this.#nextInode++, type, mode, data, synced: true, names: new Map() }
  }

  #plant(path: string, thing: Thing): void {
    const parts = `/${path}`.split('/')
    this.disk.ensurePrivateDir(parts.slice(0, -1).join('/') || '/')
    if ('file' in thing) this.disk.createFile(`/${path}`, thing.file, thing.mode ?? 0o644, true)
    else if ('link' in thing) this.disk.symlink(thing.link, `/${path}`)
    else this.disk.ensurePrivateDir(`/${path}`)
  }

  #make(path: string, inode: Inode): void {
    const { dir, name } = this.#parent(path)
    if (dir.names.has(name)) throw new Errno('EEXIST')
    dir.names.set(name, inode)
    this.#pending.push({ dir, name, set: inode })
  }

  #find(path: string): Inode | undefined {
    let inode: Inode | undefined = this.#root
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue
      if (inode.type !== 'dir') throw new Errno('ENOTDIR')
      inode = inode.names.get(name)
      if (inode === undefined) return undefined
    }
    return inode
  }

  #at(path: string): Inode {
    const inode = this.#find(path)
    if (inode === undefined) throw new Errno('ENOENT')
    return inode
  }

  #parent(path: string): { dir: Inode; name: string } {
    const slash = path.lastIndexOf('/')
    const dir = this.#at(path.slice(0, slash) || '/')
    if (dir.type !== 'dir') throw new Errno('ENOTDIR')
    return { dir, name: path.slice(slash + 1) }
  }

  #file(path: string): Buffer {
    const inode = this.#at(path)
    if (inode.type !== 'file') throw new Errno(inode.type === 'dir' ? 'EISDIR' : 'ELOOP')
    return inode.data
  }

  /** The times are the present, so that a commit reads every file. */
  #stats({ ino, type, mode, data }: Inode): BigIntStats {
    const now = BigInt(Date.now())
    const stats = { ino, dev: 1n, mode: BigInt(mode), size: BigInt(data.length), nlink: 1n, uid: 0n, gid: 0n }
    const times = { mtimeMs: now, ctimeMs: now, mtimeNs: now * 1_000_000n + 1n, ctimeNs: now * 1_000_000n + 1n }
    const kinds = {
      isFile: () => type === 'file',
      isDirectory: () => type === 'dir',
      isSymbolicLink: () => type === 'symlink',
    }
    return { ...stats, ...times, ...kinds } as BigIntStats
  }
}

function tearBytes(data: Buffer, torn: Torn): Buffer {
  if (torn === 'all') return data
  if (torn === 'nothing') return Buffer.alloc(0)
  return torn === 'half' ? data.subarray(0, data.length >> 1) : Buffer.alloc(data.length, 0x2a)
}
