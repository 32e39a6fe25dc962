import { type Architecture, AUDIT_ARCHITECTURE, SYSTEM_CALLS, type SystemCall } from './system-calls.js'

/**
 * The system calls that a command may not make, as a seccomp(2) filter in classic BPF. The filter removes the calls that would
 * bypass the namespaces.
 */

/** Denied for all arguments, with the reason. */
const DENIED: readonly (readonly [calls: readonly SystemCall[], why: string])[] = [
  [['io_uring_setup', 'io_uring_enter', 'io_uring_register'], 'they make every other call past this filter'],
  [['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'kcmp'], 'other processes'],
  [['pidfd_getfd'], 'descriptors of other processes'],
  [['add_key', 'request_key', 'keyctl'], 'keyrings know no namespace'],
  [['bpf', 'perf_event_open', 'userfaultfd'], 'they reach into the kernel'],
  [['mount', 'umount2', 'pivot_root', 'open_tree', 'move_mount', 'fsopen', 'fsconfig', 'fsmount'], 'mounts'],
  [['fspick', 'mount_setattr', 'open_tree_attr'], 'mounts'],
  [['chroot', 'unshare', 'setns'], 'other roots and namespaces'],
  [['open_by_handle_at'], 'files by number, past every directory'],
  [['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'reboot'], 'the kernel itself'],
  [['swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd'], 'swap, accounting, quotas'],
  [['adjtimex', 'settimeofday', 'clock_settime', 'clock_adjtime'], 'the clock'],
  [['iopl', 'ioperm'], 'ports'],
]

const AF_UNIX = 1
/** The type of a socket without its flags, and the types that stay connected to each other in a pair. */
export const SOCKET_TYPE = 0xf
const SOCK_STREAM = 1
const SOCK_SEQPACKET = 5
const AF_VSOCK = 40
const CLONE_NEWUSER = 0x1000_0000
/** Ioctls that put characters into a terminal's input. */
export const TIOCSTI = 0x5412
export const TIOCLINUX = 0x541c

/** Calls of the x32 ABI have this bit. They have the architecture of x86-64, and numbers of their own. */
const X32 = 0x4000_0000

export const ALLOW = 0x7fff_0000
export const ERRNO = 0x0005_0000
const EPERM = 1
const ENOSYS = 38

const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
export const JUMP_ANY_BIT = 0x45
const RETURN = 0x06
const AND = 0x54

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0
const ARCH = 4
export const argument = (index: number) => 16 + 8 * index

export interface Step {
  readonly code: number
  readonly k: number
  /** Steps to skip if the test is true, and if it is false. */
  readonly jt?: number
  readonly jf?: number
}

export const load = (offset: number): Step => ({ code: LOAD, k: offset })
export const ret = (k: number): Step => ({ code: RETURN, k })
/** Keeps only the bits of `k` in the accumulator. */
export const and = (k: number): Step => ({ code: AND, k })
export const refuse = ret(ERRNO | EPERM)

/** The calls' numbers on an architecture, without those that it does not have. */
export const numbersOf = (calls: readonly SystemCall[], architecture: Architecture) =>
  calls.flatMap((name) => SYSTEM_CALLS[name][architecture] ?? [])

/** Runs `then`, which must return, if the accumulator matches `k`. */
export const when = (k: number, then: readonly Step[], code = JUMP_EQUAL): Step[] => [
  { code, k, jt: 0, jf: then.length },
  ...then,
]

const CONNECTED_PAIR: readonly Step[] = [
  load(argument(1)),
  and(SOCKET_TYPE),
  ...when(SOCK_STREAM, [ret(ALLOW)]),
  ...when(SOCK_SEQPACKET, [ret(ALLOW)]),
  refuse,
]

/**
 * The filter as the kernel takes it: an array of `struct sock_filter`, little endian.
 * @param sharesGroup whether the command is in our process group: kill(0) ignores PID namespaces and would reach us.
 * @param before steps for calls whose answer is not the usual one. Each begins with the number of the call, and returns if it is its own.
 */
export function seccompFilter(sharesGroup: boolean, architecture: Architecture, before: readonly Step[] = []): Buffer {
  const call = (name: SystemCall, then: readonly Step[]) =>
    numbersOf([name], architecture).flatMap((number) => when(number, then))
  const denied = numbersOf(
    DENIED.flatMap(([calls]) => calls),
    architecture,
  )
  return encode([
    load(ARCH),
    // Other architectures (32-bit calls by int 0x80 or on an arm64 that runs arm) have other numbers.
    { code: JUMP_EQUAL, k: AUDIT_ARCHITECTURE[architecture], jt: 1, jf: 0 },
    ret(ERRNO | ENOSYS),
    load(NUMBER),
    ...when(X32, [ret(ERRNO | ENOSYS)], JUMP_AT_LEAST),
    // clone3 passes its flags by pointer, which a filter cannot follow; the C library falls back to clone.
    ...call('clone3', [ret(ERRNO | ENOSYS)]),
    ...denied.flatMap((number) => when(number, [refuse])),
    ...before,
    ...call('socket', [load(argument(0)), ...when(AF_UNIX, [refuse]), ...when(AF_VSOCK, [refuse]), ret(ALLOW)]),
    // A datagram socket of a pair can be sent to any address, and a file's name is one.
    ...call('socketpair', [load(argument(0)), ...when(AF_UNIX, CONNECTED_PAIR), refuse]),
    ...call('clone', [load(argument(0)), ...when(CLONE_NEWUSER, [refuse], JUMP_ANY_BIT), ret(ALLOW)]),
    ...(sharesGroup ? call('kill', [load(argument(0)), ...when(0, [refuse]), ret(ALLOW)]) : []),
    ...call('ioctl', [load(argument(1)), ...when(TIOCSTI, [refuse]), ...when(TIOCLINUX, [refuse]), ret(ALLOW)]),
    ret(ALLOW),
  ])
}

function encode(steps: readonly Step[]): Buffer {
  const filter = Buffer.alloc(steps.length * 8)
  steps.forEach(({ code, k, jt = 0, jf = 0 }, index) => {
    filter.writeUInt16LE(code, index * 8)
    filter.writeUInt8(jt, index * 8 + 2)
    filter.writeUInt8(jf, index * 8 + 3)
    filter.writeUInt32LE(k >>> 0, index * 8 + 4)
  })
  return filter
}
