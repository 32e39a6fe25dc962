import { lstatSync, readdirSync } from 'node:fs'
import { isWithin } from '../../../overlay/index.js'
import type { Visibility } from '../secrets.js'

/**
 * The Landlock rules of a command. Rules only add rights, so a directory with a hidden path is not granted: its other entries are. Such a
 * directory cannot be listed, and new entries in it stay unreadable.
 */

export type Rule = readonly [path: string, access: number]

/** Rights (include/uapi/linux/landlock.h). */
const EXECUTE = 1 << 0
const WRITE_FILE = 1 << 1
const READ_FILE = 1 << 2
const READ_DIR = 1 << 3
const MAKE_CHAR = 1 << 6
const MAKE_BLOCK = 1 << 11
const TRUNCATE = 1 << 14
const IOCTL_DEV = 1 << 15

/** All rights on files of the sixth version of Landlock. */
export const ALL_FILE_RIGHTS = (1 << 16) - 1
/** Binding and connecting TCP sockets. */
export const ALL_NETWORK_RIGHTS = 3
/** Abstract Unix sockets and signals of other domains. */
export const ALL_SCOPES = 3

const READ_TREE = EXECUTE | READ_FILE | READ_DIR
const READ_ONE = EXECUTE | READ_FILE
const WRITE_TREE = ALL_FILE_RIGHTS & ~(MAKE_CHAR | MAKE_BLOCK)

const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty']
const DEVICE = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV

/** Directories that other programs share, with their sockets, terminals and temporary files. */
const SHARED = ['/tmp', '/var/tmp', '/run', '/var/run', '/dev']
/** Files that only the superuser needs. As the owner, a command without any right could read them. */
const SYSTEM_SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
]

export interface RulesRequest {
  /** The workspace, which the command sees as a copy. */
  readonly root: string
  /** Directories of the command's own. */
  readonly own: readonly string[]
  /** Directories that were made for the command to read. */
  readonly readOnly: readonly string[]
  readonly visibility: Visibility
}

/** @throws Error if a hidden path cannot be kept from the command. */
export function rulesFor({ root, own, readOnly, visibility }: RulesRequest): Rule[] {
  const hidden = [...visibility.hidden.map(({ path }) => path), ...SHARED, ...SYSTEM_SECRETS, root, ...sshHostKeys()]
  const above = own.find((dir) => visibility.hidden.some(({ path }) => isWithin(path, dir)))
  if (above !== undefined) throw new Error(`${above} has a path that must stay hidden.`)
  return [
    ...readable('/', hidden, visibility.shown),
    ...DEVICES.map((path): Rule => [path, DEVICE]),
    ...readOnly.map((path): Rule => [path, READ_TREE]),
    ...own.map((path): Rule => [path, WRITE_TREE]),
  ]
}

/** Rules for a directory without the hidden paths, but with the shown paths below them. */
function readable(dir: string, hidden: readonly string[], shown: readonly string[]): Rule[] {
  if (hidden.includes(dir) && !shown.includes(dir))
    return shown.filter((path) => isWithin(path, dir)).flatMap((path) => below(path, hidden, shown))
  return below(dir, hidden, shown)
}

function below(dir: string, hidden: readonly string[], shown: readonly string[]): Rule[] {
  if (dir !== '/' && !hidden.some((path) => path !== dir && isWithin(path, dir))) {
    const stats = lstatSync(dir, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink()) return []
    if (stats.isDirectory()) return [[dir, READ_TREE]]
    return stats.isFile() ? [[dir, READ_ONE]] : []
  }
  return namesIn(dir).flatMap((name) => readable(dir === '/' ? `/${name}` : `${dir}/${name}`, hidden, shown))
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function sshHostKeys(): string[] {
  return namesIn('/etc/ssh').flatMap((name) => (/_key$/.test(name) ? [`/etc/ssh/${name}`] : []))
}
