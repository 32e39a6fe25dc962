import {
  ALLOW,
  and,
  argument,
  ERRNO,
  JUMP_ANY_BIT,
  load,
  numbersOf,
  refuse,
  ret,
  SOCKET_TYPE,
  type Step,
  seccompFilter,
  TIOCLINUX,
  TIOCSTI,
  when,
} from '../seccomp.js'
import type { Architecture, SystemCall } from '../system-calls.js'

/**
 * The filter of a command without namespaces. It also removes what a namespace would confine (sockets, System V objects, the limits and
 * priorities of other processes), and hands to the launcher the calls that Landlock does not restrict: those that change the attributes
 * of a file.
 */

/** The launcher decides, and makes the call itself. */
const ASK_LAUNCHER = ret(0x7fc0_0000)
const allow = ret(ALLOW)
const ENOSYS = ret(ERRNO | 38)
const ENOTTY = ret(ERRNO | 25)
const EAFNOSUPPORT = ret(ERRNO | 97)
const EOPNOTSUPP = ret(ERRNO | 95)

/** The network of a command: none, the proxy to some hosts, or the machine's. */
export type CommandNetwork = 'none' | 'proxy' | 'machine'

/** Calls that Landlock does not restrict, by the launcher's answer to them. */
export const ASKED = {
  mode: ['chmod', 'fchmod', 'fchmodat', 'fchmodat2'],
  owner: ['chown', 'lchown', 'fchown', 'fchownat'],
  times: ['utime', 'utimes', 'futimesat', 'utimensat'],
  // With some hosts of the network alone.
  socket: ['socket'],
  connection: ['connect'],
} as const satisfies Record<string, readonly SystemCall[]>

const NO_ATTRIBUTES: readonly SystemCall[] = [
  ...(['setxattr', 'lsetxattr', 'fsetxattr', 'setxattrat'] as const),
  ...(['removexattr', 'lremovexattr', 'fremovexattr', 'removexattrat'] as const),
]

/** Objects that processes of one user share by number or name. */
const SHARED: readonly SystemCall[] = [
  ...(['shmget', 'shmat', 'shmctl', 'msgget', 'msgsnd', 'msgrcv', 'msgctl'] as const),
  ...(['semget', 'semop', 'semctl', 'semtimedop', 'mq_open', 'mq_unlink', 'file_setattr'] as const),
]

const AF_INET = 2
const AF_INET6 = 10
const AF_NETLINK = 16
const SOCK_STREAM = 1
const IPPROTO_TCP = 6
/** Sends data to an address, and connects to it, without connect(2). */
const MSG_FASTOPEN = 0x2000_0000

/** All flags of clone(2) for new namespaces. */
const NEW_NAMESPACE = 0x7e02_0000

/** F_SETOWN, F_SETSIG and F_SETOWN_EX direct signals at any process; F_SETLEASE delays other programs. */
const FILE_CONTROLS = [8, 10, 15, 1024]

const TIOCCONS = 0x541d
const TIOCSETD = 0x5423
/** FICLONE, FICLONERANGE, FS_IOC_GETFLAGS, FS_IOC_FIEMAP. */
const FILE_IOCTLS = [0x4004_9409, 0x4020_940d, 0x8008_6601, 0xc020_660b]
/** The type in a request number: of terminals and descriptors, and of sockets. */
const IOCTL_TYPE = 0xff00
const IOCTL_TYPES = [0x5400, 0x8900]

const equals = (values: readonly number[], then: Step) => values.flatMap((value) => when(value, [then]))

/** PRIO_USER and IOPRIO_WHO_USER: all processes of the user. */
const OF_USER = { setpriority: 2, ioprio_set: 3 } as const

/** Sockets of TCP, which the launcher makes: it connects them to the proxy, and to nothing else. */
const TCP_SOCKET: readonly Step[] = [
  load(argument(1)),
  and(SOCKET_TYPE),
  ...when(SOCK_STREAM, [load(argument(2)), ...when(0, [ASK_LAUNCHER]), ...when(IPPROTO_TCP, [ASK_LAUNCHER]), refuse]),
  refuse,
]

const SOCKETS: Readonly<Record<CommandNetwork, readonly Step[]>> = {
  none: [],
  proxy: [...when(AF_INET, TCP_SOCKET), ...when(AF_INET6, [EAFNOSUPPORT])],
  machine: [...when(AF_INET, [allow]), ...when(AF_INET6, [allow])],
}

/** @param sharesGroup whether the command is in our process group. */
export function aloneFilter(network: CommandNetwork, sharesGroup: boolean, architecture: Architecture): Buffer {
  const calls = (names: readonly SystemCall[], then: readonly Step[]) =>
    numbersOf(names, architecture).flatMap((number) => when(number, then))
  const withoutFastOpen = (index: number) => [
    load(argument(index)),
    ...when(MSG_FASTOPEN, [refuse], JUMP_ANY_BIT),
    allow,
  ]
  /** A socket that listens without an address takes connections from elsewhere. */
  const onlyProxy = [
    ...calls(['connect'], [ASK_LAUNCHER]),
    ...calls(['listen'], [refuse]),
    ...calls(['sendto', 'sendmmsg'], withoutFastOpen(3)),
    ...calls(['sendmsg'], withoutFastOpen(2)),
  ]
  const route = [load(argument(2)), ...when(0, [allow]), refuse]
  const onlyOwn = [load(argument(0)), ...when(0, [allow]), refuse]
  const ofUser = (each: number) => [
    load(argument(1)),
    ...when(0, [load(argument(0)), ...when(each, [refuse]), allow]),
    refuse,
  ]
  return seccompFilter(sharesGroup, architecture, [
    ...calls([...ASKED.mode, ...ASKED.owner, ...ASKED.times], [ASK_LAUNCHER]),
    ...calls(['clone'], [load(argument(0)), ...when(NEW_NAMESPACE, [refuse], JUMP_ANY_BIT), allow]),
    ...calls(['socket'], [load(argument(0)), ...SOCKETS[network], ...when(AF_NETLINK, route), refuse]),
    ...(network === 'proxy' ? onlyProxy : []),
    ...calls(
      ['ioctl'],
      [
        load(argument(1)),
        ...equals([TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD], refuse),
        ...equals(FILE_IOCTLS, allow),
        and(IOCTL_TYPE),
        ...equals(IOCTL_TYPES, allow),
        ENOTTY,
      ],
    ),
    ...calls(['fcntl'], [load(argument(1)), ...equals(FILE_CONTROLS, refuse), allow]),
    ...calls(['prlimit64', 'sched_setaffinity', 'sched_setscheduler', 'sched_setparam', 'sched_setattr'], onlyOwn),
    ...calls(['setpriority'], ofUser(OF_USER.setpriority)),
    ...calls(['ioprio_set'], ofUser(OF_USER.ioprio_set)),
    ...calls(NO_ATTRIBUTES, [EOPNOTSUPP]),
    ...calls(SHARED, [ENOSYS]),
    ...calls(['syslog'], [refuse]),
  ])
}
