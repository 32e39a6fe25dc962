import fs from 'node:fs'
import { memfs } from 'memfs'
import memfsManifest from 'memfs/package.json' with { type: 'json' }
import type { Skipped } from '../harness.js'
import { loadPeer, PEERS, type PeerName } from '../peers.js'
import { OURS } from '../report.js'
import { govern } from '../workspace.js'

/** The participants of the suite, with the calls that the suite makes. */

export interface SyncCalls {
  readFileSync(path: string): unknown
  statSync(path: string): unknown
  lstatSync(path: string): unknown
  existsSync(path: string): boolean
  readdirSync(path: string): unknown
  writeFileSync(path: string, data: Buffer): unknown
  mkdirSync(path: string, options: { recursive: true }): unknown
  unlinkSync(path: string): unknown
  renameSync(from: string, to: string): unknown
}

export interface PromiseCalls {
  readFile(path: string): Promise<unknown>
  stat(path: string): Promise<unknown>
  lstat(path: string): Promise<unknown>
  readdir(path: string): Promise<unknown>
  unlink(path: string): Promise<unknown>
  writeFile(path: string, data: Buffer): Promise<unknown>
  mkdir(path: string, options: { recursive: true }): Promise<unknown>
}

export interface Subject {
  /** The name with the version. */
  readonly name: string
  /** The prefix of its paths. */
  readonly root: string
  /** True if its reads reach the files of the lower directory. */
  readonly overLower: boolean
  readonly sync?: SyncCalls
  readonly promises: PromiseCalls
  close(): unknown
}

/** The directories of a run. `lower` and `raw` have the same files at its start. */
export interface Directories {
  /** Governed by escrowfs, and the lower layer of the peers. */
  readonly lower: string
  /** Read and written by plain `node:fs`. */
  readonly raw: string
  /** For files of peers, such as a database. */
  readonly spare: string
}

export function rawSubject({ raw }: Directories): Subject {
  return {
    name: `node:fs ${process.version}`,
    root: raw,
    overLower: true,
    sync: fs,
    promises: fs.promises,
    close: () => undefined,
  }
}

export async function ourSubject(
  { lower }: Directories,
  id: string,
  durability: 'memory' | 'process' = 'memory',
  name: string = OURS,
): Promise<Subject> {
  const { workspace, session } = await govern(lower, id, { durability })
  return {
    name,
    root: lower,
    overLower: true,
    sync: session.fs,
    promises: session.fs.promises,
    close: () => workspace.close(),
  }
}

/** Loads the peers, and lists those that cannot be loaded. */
export async function peerSubjects(directories: Directories): Promise<{ peers: Subject[]; absent: Skipped[] }> {
  const peers: Subject[] = [memfsSubject()]
  const absent: Skipped[] = []
  const makers: [PeerName, (directories: Directories, name: string) => Promise<Subject>][] = [
    ['unionfs', unionSubject],
    ['just-bash', justBashSubject],
    ['@zenfs/core', zenSubject],
    ['agentfs-sdk', agentSubject],
  ]
  for (const [name, make] of makers) {
    const title = `${name} ${PEERS[name]}`
    try {
      peers.push(await make(directories, title))
    } catch (error) {
      absent.push({ name: title, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { peers, absent }
}

const MEMFS = `memfs ${memfsManifest.version}`

export function memfsSubject(): Subject {
  const { fs: volume } = memfs()
  const promises = volume.promises
  return { name: MEMFS, root: '/w', overLower: false, sync: volume, promises, close: () => undefined }
}

interface Union extends SyncCalls {
  use(layer: unknown): Union
  promises: PromiseCalls
}

async function unionSubject({ lower }: Directories, title: string): Promise<Subject> {
  const { Union } = await loadPeer<{ Union: new () => Union }>('unionfs', ['Union'])
  const { fs: volume } = memfs()
  const union = new Union().use(fs).use(volume)
  // Without the directory in the upper layer, unionfs writes into the lower one.
  const mkdirSync = (path: string) => volume.mkdirSync(path, { recursive: true })
  union.mkdirSync = mkdirSync
  const name = `${title} over memfs`
  return { name, root: lower, overLower: true, sync: union, promises: union.promises, close: () => undefined }
}

interface JustBash {
  OverlayFs: new (options: {
    root: string
    mountPoint: string
  }) => Omit<PromiseCalls, 'unlink'> & {
    readFileBuffer(path: string): Promise<unknown>
    rm(path: string): Promise<unknown>
  }
}

async function justBashSubject({ lower }: Directories, title: string): Promise<Subject> {
  const { OverlayFs } = await loadPeer<JustBash>('just-bash', ['OverlayFs'])
  const overlay = new OverlayFs({ root: lower, mountPoint: lower })
  const promises: PromiseCalls = {
    readFile: (path) => overlay.readFileBuffer(path),
    stat: (path) => overlay.stat(path),
    lstat: (path) => overlay.lstat(path),
    readdir: (path) => overlay.readdir(path),
    unlink: (path) => overlay.rm(path),
    writeFile: (path, data) => overlay.writeFile(path, data),
    mkdir: (path, options) => overlay.mkdir(path, options),
  }
  return { name: `${title} OverlayFs`, root: lower, overLower: true, promises, close: () => undefined }
}

interface Zen {
  configure(configuration: { mounts: Record<string, unknown> }): Promise<unknown>
  umount(this: void, mountPoint: string): void
  CopyOnWrite: unknown
  Passthrough: unknown
  InMemory: unknown
  fs: SyncCalls & { promises: PromiseCalls }
}

async function zenSubject({ lower }: Directories, title: string): Promise<Subject> {
  const members = ['configure', 'umount', 'CopyOnWrite', 'Passthrough', 'InMemory', 'fs'] as const
  const zen = await loadPeer<Zen>('@zenfs/core', members)
  const readable = { backend: zen.Passthrough, fs, prefix: lower }
  const writable = { backend: zen.InMemory }
  await zen.configure({ mounts: { '/w': { backend: zen.CopyOnWrite, readable, writable } } })
  const name = `${title} CopyOnWrite`
  const { umount } = zen
  return { name, root: '/w', overLower: true, sync: zen.fs, promises: zen.fs.promises, close: () => umount('/w') }
}

interface Agent {
  AgentFS: {
    open(options: { path: string }): Promise<{ fs: Omit<PromiseCalls, 'mkdir'>; close(): Promise<void> }>
  }
}

async function agentSubject({ spare }: Directories, title: string): Promise<Subject> {
  const { AgentFS } = await loadPeer<Agent>('agentfs-sdk', ['AgentFS'])
  const agent = await AgentFS.open({ path: `${spare}/agent.db` })
  const promises: PromiseCalls = {
    readFile: (path) => agent.fs.readFile(path),
    stat: (path) => agent.fs.stat(path),
    lstat: (path) => agent.fs.lstat(path),
    readdir: (path) => agent.fs.readdir(path),
    unlink: (path) => agent.fs.unlink(path),
    writeFile: (path, data) => agent.fs.writeFile(path, data),
    // Its writes create parent directories.
    mkdir: async () => undefined,
  }
  return { name: title, root: '/w', overLower: false, promises, close: () => agent.close() }
}
