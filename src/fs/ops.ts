import { glob } from './glob.js'
import * as attr from './kernel-attr.js'
import { openAsBlob } from './kernel-blob.js'
import { cp } from './kernel-cp.js'
import { opendir } from './kernel-dir.js'
import * as fd from './kernel-fd.js'
import * as links from './kernel-links.js'
import { readdir } from './kernel-list.js'
import * as read from './kernel-read.js'
import * as remove from './kernel-rm.js'
import { statfs } from './kernel-statfs.js'
import { mkdtemp } from './kernel-temp.js'
import * as write from './kernel-write.js'
import type { Args, Form } from './op-types.js'
import type { Stem } from './stems.js'
import { unixTime } from './times.js'
import type { ReadView, WatchView, WriteView } from './view.js'
import { watch } from './watch.js'
import { unwatchFile, watchFile } from './watch-file.js'

/** How an op uses the names among its first arguments. */
export interface NameUse {
  /** The number of names. */
  readonly paths: 0 | 1 | 2
  /** Whether a link at the last name is followed. */
  readonly follow: boolean
  /** Whether the op acts on everything below the name. */
  readonly tree: boolean
}

const NO_NAME: NameUse = { paths: 0, follow: true, tree: false }
const TARGET: NameUse = { paths: 1, follow: true, tree: false }
const ITSELF: NameUse = { paths: 1, follow: false, tree: false }
const TREE: NameUse = { paths: 1, follow: false, tree: true }
const TWO_TARGETS: NameUse = { paths: 2, follow: true, tree: false }
const TWO_LINKS: NameUse = { paths: 2, follow: false, tree: false }
const TWO_TREES: NameUse = { paths: 2, follow: false, tree: true }
const COPIED_TREES: NameUse = { paths: 2, follow: true, tree: true }

export interface ReadRow extends NameUse {
  readonly kind: 'read'
  /** The system call Node names in this op's errors. */
  readonly syscall: string | ((form: Form) => string)
  readonly run: (view: ReadView, args: Args, form: Form) => unknown
}

export interface WriteRow extends NameUse {
  readonly kind: 'write'
  /** The system call Node names in this op's errors. */
  readonly syscall: string | ((form: Form) => string)
  readonly run: (view: WriteView, args: Args, form: Form) => unknown
}

/** Begins or ends a watch: it returns at once and has no callback form. `promises.watch` iterates over the events. */
export interface WatchRow extends NameUse {
  readonly kind: 'watch'
  readonly syscall: string
  readonly run: (view: WatchView, args: Args, form: Form) => unknown
}

export interface RefusedRow {
  readonly kind: 'refused'
  readonly why: string
}

/** An op that the facade makes from other rows: it opens, reads, writes and closes through them. */
export interface DerivedRow {
  readonly kind: 'derived'
}

export type Row = ReadRow | WriteRow | WatchRow | DerivedRow | RefusedRow

function reads(syscall: ReadRow['syscall'], names: NameUse, run: ReadRow['run']): ReadRow {
  return { kind: 'read', syscall, ...names, run }
}

function writes(syscall: string, names: NameUse, run: WriteRow['run']): WriteRow {
  return { kind: 'write', syscall, ...names, run }
}

function watches(run: WatchRow['run']): WatchRow {
  return { kind: 'watch', syscall: 'watch', ...TARGET, run }
}

export function refusedRow(why: string): RefusedRow {
  return { kind: 'refused', why }
}

const DERIVED: DerivedRow = { kind: 'derived' }

const HANDLES = 'Use open, or promises.open for a FileHandle.'

export const OPS = {
  access: reads('access', TARGET, read.access),
  exists: reads('access', TARGET, read.exists),
  stat: reads('stat', TARGET, read.stat),
  lstat: reads('lstat', ITSELF, read.lstat),
  readFile: reads('open', TARGET, read.readFile),
  readdir: reads('scandir', TARGET, readdir),
  readlink: reads('readlink', ITSELF, read.readlink),
  realpath: reads((form) => (form === 'promise' ? 'realpath' : 'lstat'), TARGET, read.realpath),

  writeFile: writes('open', TARGET, write.writeFile),
  appendFile: writes('open', TARGET, write.appendFile),
  truncate: writes('open', TARGET, write.truncate),
  mkdir: writes('mkdir', TARGET, write.mkdir),
  unlink: writes('unlink', ITSELF, write.unlink),
  rm: writes('rm', TREE, remove.rm),
  rmdir: writes('rmdir', TREE, remove.rmdir),
  rename: writes('rename', TWO_TREES, write.rename),
  copyFile: writes('copyfile', TWO_TARGETS, write.copyFile),

  cp: writes('cp', COPIED_TREES, cp),
  glob: reads('scandir', NO_NAME, glob),
  opendir: reads('opendir', TARGET, opendir),
  mkdtemp: writes('mkdtemp', TARGET, mkdtemp),
  mkdtempDisposable: writes('mkdtemp', TARGET, mkdtemp),
  statfs: reads('statfs', TARGET, statfs),
  openAsBlob: reads('open', TARGET, openAsBlob),

  open: writes('open', TARGET, fd.open),
  close: reads('close', NO_NAME, fd.close),
  read: reads('read', NO_NAME, fd.read),
  readv: reads('read', NO_NAME, fd.readv),
  write: writes('write', NO_NAME, fd.write),
  writev: writes('write', NO_NAME, fd.writev),
  fstat: reads('fstat', NO_NAME, fd.fstat),
  fsync: reads('fsync', NO_NAME, fd.fsync),
  fdatasync: reads('fdatasync', NO_NAME, fd.fsync),
  ftruncate: writes('ftruncate', NO_NAME, fd.ftruncate),
  fchmod: writes('fchmod', NO_NAME, fd.fchmod),
  fchown: writes('fchown', NO_NAME, fd.fchown),
  openFileHandle: refusedRow(HANDLES),
  futimes: writes('futime', NO_NAME, fd.futimes),
  createReadStream: DERIVED,
  createWriteStream: DERIVED,
  Utf8Stream: refusedRow('Its flushSync never returns once a write is refused. Use createWriteStream.'),

  chmod: writes('chmod', TARGET, attr.chmod),
  lchmod: writes('lchmod', ITSELF, attr.lchmod),
  chown: writes('chown', TARGET, attr.chown),
  lchown: writes('lchown', ITSELF, attr.lchown),
  utimes: writes('utime', TARGET, attr.utimes),
  lutimes: writes('lutime', ITSELF, attr.lutimes),

  link: writes('link', TWO_LINKS, links.link),
  symlink: writes('symlink', TWO_LINKS, links.symlink),

  watch: watches(watch),
  watchFile: watches(watchFile),
  unwatchFile: watches(unwatchFile),
  _toUnixTimestamp: reads('utime', NO_NAME, (_view, [time, name]) =>
    unixTime(time, typeof name === 'string' ? name : undefined),
  ),
} satisfies Record<Stem, Row> & Record<string, Row>

export type Rows = Readonly<Record<string, Row>>

/** The row of a name that the running host has, even if its types lack it. */
export function rowOf(stem: string, rows: Rows = OPS): Row {
  return Object.hasOwn(rows, stem) ? (rows[stem] ?? refusedRow(UNKNOWN)) : refusedRow(UNKNOWN)
}

const UNKNOWN = 'This version of escrowfs does not know the function.'
