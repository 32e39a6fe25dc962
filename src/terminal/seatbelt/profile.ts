import { isWithin } from '../../../overlay/index.js'
import type { Visibility } from '../secrets.js'

/**
 * The profile of macOS's Seatbelt for one command. It denies everything, then allows what a command needs; of rules
 * that match, the last one counts. Its text holds no path: paths are parameters, which `sandbox-exec -D` sets, so no
 * character of a path can end a string. All paths must be physical, because Seatbelt checks the resolved file, not the
 * requested name.
 */
export interface SeatbeltProfile {
  readonly text: string
  /** `NAME=value` each. */
  readonly parameters: readonly string[]
}

export interface SeatbeltRequest {
  /** The workspace, which the command sees as a copy alone. */
  readonly root: string
  /** The copy, and a directory for temporary files. */
  readonly tree: string
  readonly temporary: string
  readonly home: string
  readonly visibility: Visibility
  readonly network: boolean
}

/** Directories that programs share, with their sockets, temporary files and devices, and other names for all files of the machine. */
const SHARED = [
  '/private/tmp',
  '/private/var/tmp',
  '/private/var/folders',
  '/private/var/run',
  '/dev',
  '/System/Volumes/Data',
  '/.vol',
]
/** Files that only the superuser needs: a command of root could read them. */
const SYSTEM_SECRETS = [
  '/private/etc/master.passwd',
  '/private/etc/sudoers',
  '/private/etc/sudoers.d',
  '/private/var/db/dslocal',
  '/Library/Keychains',
]
/** Below a home directory. */
const HOME_SECRETS = ['Library/Keychains', 'Library/Cookies']

/** Values of the kernel that programs read when they start. None of them lists processes. */
const SYSCTLS = [
  'kern.argmax',
  'kern.hostname',
  'kern.maxfilesperproc',
  'kern.ngroups',
  'kern.osproductversion',
  'kern.osrelease',
  'kern.ostype',
  'kern.osversion',
  'kern.secure_kernel',
  'kern.usrstack64',
  'kern.version',
  'vm.loadavg',
]
const SYSCTL_PREFIXES = ['hw.', 'machdep.cpu.']

/** Services for the names of users and groups. */
const SERVICES = ['com.apple.system.opendirectoryd.libinfo', 'com.apple.system.opendirectoryd.membership']
const NETWORK_SERVICES = ['com.apple.SystemConfiguration.configd', 'com.apple.trustd.agent']

const READABLE_DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom']
const WRITABLE_DEVICES = ['/dev/null', '/dev/zero']

const PROCESSES = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))`

/** Internet addresses, and the resolver. No other Unix socket. */
const NETWORK = `(allow system-socket (socket-domain AF_UNIX))
(allow network-outbound (remote ip "*:*"))
(allow network-inbound (local ip "*:*"))
(allow network-bind (local ip "*:*"))
(allow network-outbound (literal "/private/var/run/mDNSResponder"))`

/** @throws Error if a hidden path cannot be kept from the command. */
export function seatbeltProfile(request: SeatbeltRequest): SeatbeltProfile {
  const { tree, temporary, visibility, network } = request
  const writable = [tree, temporary]
  const above = writable.find((dir) => visibility.hidden.some(({ path }) => isWithin(path, dir)))
  if (above !== undefined) throw new Error(`${above} has a path that must stay hidden.`)
  const values: string[] = []
  const path = (value: string): string => `(param "P${values.push(value) - 1}")`
  const lines = [
    PROCESSES,
    rule('allow sysctl-read', [...filters('sysctl-name', SYSCTLS), ...filters('sysctl-name-prefix', SYSCTL_PREFIXES)]),
    rule('allow mach-lookup', filters('global-name', [...SERVICES, ...(network ? NETWORK_SERVICES : [])])),
    ...(network ? [NETWORK] : []),
    '(allow file-read* (subpath "/"))',
    ...readRules(request).map(([kind, at]) => rule(`${kind} file-read*`, [`(subpath ${path(at)})`])),
    '(deny file-read* (regex #"^/private/etc/ssh/.*_key$"))',
    rule(
      'allow file-read-metadata',
      ancestors(writable).map((each) => `(literal ${path(each)})`),
    ),
    rule(
      'allow file-read* file-write*',
      writable.map((each) => `(subpath ${path(each)})`),
    ),
    ...['.git', '.orchestration'].map((name) => denyNamed(name, path(tree))),
    rule('allow file-read*', filters('literal', READABLE_DEVICES)),
    rule('allow file-write-data', filters('literal', WRITABLE_DEVICES)),
  ]
  return { text: `${lines.join('\n')}\n`, parameters: values.map((value, at) => `P${at}=${value}`) }
}

/** Rules for hidden and shown paths outside the copy. The last matching rule wins, so deeper paths come later. No rule shows the workspace itself. */
function readRules({ root, home, visibility }: SeatbeltRequest): (readonly ['allow' | 'deny', string])[] {
  const hidden = [
    ...visibility.hidden.map((each) => each.path),
    ...SHARED,
    ...SYSTEM_SECRETS,
    ...HOME_SECRETS.map((name) => `${home}/${name}`),
  ]
  const rules = [
    ...hidden.map((path) => ['deny', path] as const),
    ...visibility.shown.map((path) => ['allow', path] as const),
  ]
  return [...rules.sort(([, a], [, b]) => depthOf(a) - depthOf(b)), ['deny', root]]
}

function depthOf(path: string): number {
  return path.split('/').filter((name) => name !== '').length
}

/** The directories above, by which a program finds out where it is. Their entries stay hidden. */
function ancestors(paths: readonly string[]): string[] {
  const all = paths.flatMap((path) => {
    const names = path.split('/').slice(0, -1)
    return names.map((_, at) => names.slice(0, at + 1).join('/') || '/')
  })
  return [...new Set(all)]
}

/** Matches the name in any letter case, because the file system may ignore case. */
function denyNamed(name: string, tree: string): string {
  const letters = [...name].map((each) => (each === '.' ? '\\.' : `[${each}${each.toUpperCase()}]`)).join('')
  return `(deny file-write* (require-all (subpath ${tree}) (regex #"/${letters}(/|$)")))`
}

function rule(head: string, of: readonly string[]): string {
  return `(${head}${of.map((each) => `\n  ${each}`).join('')})`
}

/** Only for names of our own, which have no quotes. */
function filters(kind: string, names: readonly string[]): string[] {
  return names.map((name) => `(${kind} "${name}")`)
}
