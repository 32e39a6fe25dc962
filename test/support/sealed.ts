import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Access, Decision } from '../../src/core/decision.js'
import type { Rows } from '../../src/fs/ops.js'
import { createBareFacade, tempDir } from './facade.js'

/** The guard's decision: stage every access; allow only reads; hide everything. */
export type Mode = 'stage' | 'deny writes' | 'deny all'

/** Open files of every kind, opened before the guard denies their use. */
export interface Opened {
  readonly ours: Readonly<Record<'read' | 'both' | 'write' | 'append' | 'dir' | 'staged' | 'orphan', number>>
  readonly handles: readonly FileHandle[]
  /** Writable descriptors of the host, on a file of the workspace and on one next to it. */
  readonly hosts: readonly number[]
  readonly hostHandle: FileHandle
}

/** A workspace with a sibling directory and a canary elsewhere, a facade over it, and a guard with a mode. */
export interface SealedWorkspace {
  readonly fs: typeof fs
  readonly root: string
  readonly sibling: string
  readonly canary: string
  readonly opened: Opened
  readonly guard: Guard
  /** Forbidden effects since the guard was set: on the disk, in the stage, in unnamed files. */
  breaches(): string[]
  dispose(): Promise<void>
}

export interface Guard {
  mode: Mode
  /** True to disable the fourth lock. */
  off: boolean
}

const DIRECTORIES = ['w/root', 'w/sibling', 'canary'] as const

function createFiles(outer: string): void {
  for (const dir of ['w/root/a/b', 'w/root/empty', 'w/sibling/sub', 'canary'])
    fs.mkdirSync(`${outer}/${dir}`, { recursive: true })
  const files = ['w/root/a/f', 'w/root/a/g', 'w/root/a/b/h', 'w/root/top', 'w/sibling/s', 'w/sibling/sub/t', 'canary/c']
  for (const file of files) fs.writeFileSync(`${outer}/${file}`, `SECRET of ${file}`, { mode: 0o644 })
  const links = {
    lf: 'a/f',
    ld: 'a',
    out: '../sibling/s',
    outd: '../sibling',
    gone: 'nowhere',
    fresh: '../sibling/new',
  }
  for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, `${outer}/w/root/${name}`)
  fs.symlinkSync('loop', `${outer}/w/root/loop`)
}

/** Lists every path with its `lstat` fields except the access time, and its content. */
function fingerprint(outer: string): string[] {
  return DIRECTORIES.flatMap((part) => {
    const names = fs.existsSync(`${outer}/${part}`)
      ? ['.', ...fs.readdirSync(`${outer}/${part}`, { recursive: true, encoding: 'latin1' })]
      : []
    return names.sort().map((name) => {
      // Names may have any bytes.
      const at = Buffer.concat([Buffer.from(`${outer}/${part}/`), Buffer.from(name, 'latin1')])
      const { ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs } = fs.lstatSync(at, { bigint: true })
      const type = fs.lstatSync(at)
      const content = type.isFile() ? fs.readFileSync(at, 'hex') : type.isSymbolicLink() ? fs.readlinkSync(at) : ''
      return [`${part}/${name}`, ino, mode, uid, gid, nlink, size, mtimeNs, ctimeNs, content].join(' ')
    })
  })
}

async function openAll(facade: typeof fs, root: string, sibling: string): Promise<Opened> {
  facade.writeFileSync(`${root}/staged`, 'SECRET staged')
  facade.writeFileSync(`${root}/orphan`, 'SECRET without a name')
  const open = (name: string, flags: string | number) => facade.openSync(`${root}/${name}`, flags)
  const ours = {
    ...{ read: open('a/f', 'r'), both: open('a/f', 'r+'), write: open('a/g', fs.constants.O_WRONLY) },
    ...{ append: open('a/g', 'a'), dir: open('a', 'r'), staged: open('staged', 'r+'), orphan: open('orphan', 'r+') },
  }
  const handles = [
    await facade.promises.open(`${root}/a/f`, 'r'),
    await facade.promises.open(`${root}/a/f`, 'r+'),
    await facade.promises.open(`${root}/orphan`, 'r+'),
  ]
  facade.unlinkSync(`${root}/orphan`)
  const hosts = [fs.openSync(`${root}/a/g`, 'r+'), fs.openSync(`${sibling}/s`, 'r+')]
  return { ours, handles, hosts, hostHandle: await fs.promises.open(`${root}/a/g`, 'r+') }
}

/** The metadata and content of an unlinked open file. */
function contentOf(facade: typeof fs, fd: number): string {
  const buffer = Buffer.alloc(100)
  try {
    const { mode, size, mtimeMs } = facade.fstatSync(fd)
    return `${mode} ${size} ${mtimeMs} ${buffer.toString('hex', 0, facade.readSync(fd, buffer, 0, 100, 0))}`
  } catch {
    return 'closed'
  }
}

function decideBy(guard: Guard, { effect }: Access): Decision {
  if (guard.off || guard.mode === 'stage') return { verdict: 'stage' }
  if (guard.mode === 'deny all') return { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
  if (effect === 'read') return { verdict: 'allow' }
  return { verdict: 'deny', denial: { reason: 'access_denied', message: 'No write.' } }
}

function inodeOf(fd: number): bigint | undefined {
  try {
    return fs.fstatSync(fd, { bigint: true }).ino
  } catch {
    return undefined
  }
}

function ignoreErrors(close: () => void): void {
  try {
    close()
  } catch {
    // The calls under test may have closed it.
  }
}

/** @param rowsFor returns the op table; it may switch the guard */
export async function createSealedWorkspace(mode: Mode, rowsFor?: (guard: Guard) => Rows): Promise<SealedWorkspace> {
  const { path: outer, dispose } = tempDir('escrowfs-sealed-')
  createFiles(outer)
  const [root, sibling, canary] = [`${outer}/w/root`, `${outer}/w/sibling`, `${outer}/canary`]
  const guard: Guard = { mode: 'stage', off: false }
  const { fs: facade, overlay } = createBareFacade(root, (access) => decideBy(guard, access), rowsFor?.(guard))
  const opened = await openAll(facade, root, sibling)
  const edits: string[] = []
  const apply = overlay.apply.bind(overlay)
  overlay.apply = (edit, data) => {
    edits.push(`staged: ${edit.op}`)
    apply(edit, data)
  }
  const before = { disk: fingerprint(outer), unnamedContent: contentOf(facade, opened.ours.orphan) }
  const inodes = opened.hosts.map(inodeOf)
  guard.mode = mode
  return {
    ...{ fs: facade, root, sibling, canary, opened, guard },
    breaches() {
      guard.mode = 'stage'
      const disk = fingerprint(outer)
      const unnamedContent = contentOf(facade, opened.ours.orphan)
      guard.mode = mode
      const changedRows = [
        ...disk.filter((row) => !before.disk.includes(row)),
        ...before.disk.filter((row) => !disk.includes(row)),
      ]
      const closedHosts = opened.hosts.some((fd, i) => inodeOf(fd) !== inodes[i])
        ? ['a descriptor of the host is closed']
        : []
      const written =
        unnamedContent === 'closed' || unnamedContent === before.unnamedContent ? [] : ['staged: a file without a name']
      const stagedWrites = mode === 'stage' ? [] : [...edits, ...written]
      return [
        ...new Set([...changedRows.map((row) => `on disk: ${row.split(' ')[0]}`), ...closedHosts, ...stagedWrites]),
      ]
    },
    async dispose() {
      guard.mode = 'stage'
      for (const handle of [...opened.handles, opened.hostHandle]) await handle.close().catch(() => undefined)
      // The number of a closed descriptor may belong to another file now.
      for (const [i, fd] of opened.hosts.entries()) if (inodeOf(fd) === inodes[i]) fs.closeSync(fd)
      for (const fd of Object.values(opened.ours)) ignoreErrors(() => facade.closeSync(fd))
      dispose()
    },
  }
}
