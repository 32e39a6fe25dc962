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

export interface ReadRow {
  readonly kind: 'read'
  /** The system call Node names in this op's errors. */
  readonly syscall: string | ((form: Form) => string)
  readonly paths: 0 | 1 | 2
  readonly run: (view: ReadView, args: Args, form: Form) => unknown
}

export interface WriteRow {
  readonly kind: 'write'
  /** The system call Node names in this op's errors. */
  readonly syscall: string | ((form: Form) => string)
  readonly paths: 0 | 1 | 2
  readonly run: (view: WriteView, args: Args, form: Form) => unknown
}

/** Begins or ends a watch: it answers at once and has no callback form. `promises.watch` gives its events in turn. */
export interface WatchRow {
  readonly kind: 'watch'
  readonly syscall: string
  readonly paths: 1
  readonly run: (view: WatchView, args: Args, form: Form) => unknown
}

export interface RefusedRow {
  readonly kind: 'refused'
  readonly why: string
}

/** Made of other rows by the facade: it opens, reads, writes and closes through them. */
export interface DerivedRow {
  readonly kind: 'derived'
}

export type Row = ReadRow | WriteRow | WatchRow | DerivedRow | RefusedRow

function reads(syscall: ReadRow['syscall'], run: ReadRow['run'], paths: 0 | 1 = 1): ReadRow {
  return { kind: 'read', syscall, paths, run }
}

function writes(syscall: string, run: WriteRow['run'], paths: 0 | 1 | 2 = 1): WriteRow {
  return { kind: 'write', syscall, paths, run }
}

function watches(run: WatchRow['run']): WatchRow {
  return { kind: 'watch', syscall: 'watch', paths: 1, run }
}

export function refusedRow(why: string): RefusedRow {
  return { kind: 'refused', why }
}

const DERIVED: DerivedRow = { kind: 'derived' }

const HANDLES = 'Use open, or promises.open for a FileHandle.'

export const OPS = {
  access: reads('access', read.access),
  exists: reads('access', read.exists),
  stat: reads('stat', read.stat),
  lstat: reads('lstat', read.lstat),
  readFile: reads('open', read.readFile),
  readdir: reads('scandir', readdir),
  readlink: reads('readlink', read.readlink),
  realpath: reads((form) => (form === 'promise' ? 'realpath' : 'lstat'), read.realpath),

  writeFile: writes('open', write.writeFile),
  appendFile: writes('open', write.appendFile),
  truncate: writes('open', write.truncate),
  mkdir: writes('mkdir', write.mkdir),
  unlink: writes('unlink', write.unlink),
  rm: writes('rm', remove.rm),
  rmdir: writes('rmdir', remove.rmdir),
  rename: writes('rename', write.rename, 2),
  copyFile: writes('copyfile', write.copyFile, 2),

  cp: writes('cp', cp, 2),
  glob: reads('scandir', glob, 0),
  opendir: reads('opendir', opendir),
  mkdtemp: writes('mkdtemp', mkdtemp),
  mkdtempDisposable: writes('mkdtemp', mkdtemp),
  statfs: reads('statfs', statfs),
  openAsBlob: reads('open', openAsBlob),

  open: writes('open', fd.open),
  close: reads('close', fd.close, 0),
  read: reads('read', fd.read, 0),
  readv: reads('read', fd.readv, 0),
  write: writes('write', fd.write, 0),
  writev: writes('write', fd.writev, 0),
  fstat: reads('fstat', fd.fstat, 0),
  fsync: reads('fsync', fd.fsync, 0),
  fdatasync: reads('fdatasync', fd.fsync, 0),
  ftruncate: writes('ftruncate', fd.ftruncate, 0),
  fchmod: writes('fchmod', fd.fchmod, 0),
  fchown: writes('fchown', fd.fchown, 0),
  openFileHandle: refusedRow(HANDLES),
  futimes: writes('futime', fd.futimes, 0),
  createReadStream: DERIVED,
  createWriteStream: DERIVED,
  Utf8Stream: refusedRow('Its flushSync never returns once a write is refused. Use createWriteStream.'),

  chmod: writes('chmod', attr.chmod),
  lchmod: writes('lchmod', attr.lchmod),
  chown: writes('chown', attr.chown),
  lchown: writes('lchown', attr.lchown),
  utimes: writes('utime', attr.utimes),
  lutimes: writes('lutime', attr.lutimes),

  link: writes('link', links.link, 2),
  symlink: writes('symlink', links.symlink, 2),

  watch: watches(watch),
  watchFile: watches(watchFile),
  unwatchFile: watches(unwatchFile),
  _toUnixTimestamp: reads(
    'utime',
    (_view, [time, name]) => unixTime(time, typeof name === 'string' ? name : undefined),
    0,
  ),
} satisfies Record<Stem, Row> & Record<string, Row>

export type Rows = Readonly<Record<string, Row>>

/** The row of a name the running host has, whatever its types know. */
export function rowOf(stem: string, rows: Rows = OPS): Row {
  return Object.hasOwn(rows, stem) ? (rows[stem] ?? refusedRow(UNKNOWN)) : refusedRow(UNKNOWN)
}

const UNKNOWN = 'This version of escrowfs does not know the function.'
