/**
 * The system calls that a command may not make, as a seccomp(2) filter in classic BPF. Numbers are from
 * arch/x86/entry/syscalls/syscall_64.tbl. The filter removes the calls that would bypass the namespaces.
 */

/** Denied for all arguments, with the reason. */
const DENIED: readonly (readonly [numbers: readonly number[], why: string])[] = [
  [[425, 426, 427], 'io_uring: makes every other call past this filter'],
  [[101, 310, 311, 440, 312], 'ptrace, process_vm_*, process_madvise, kcmp: other processes'],
  [[438], 'pidfd_getfd: descriptors of other processes'],
  [[248, 249, 250], 'add_key, request_key, keyctl: keyrings know no namespace'],
  [[321, 298, 323], 'bpf, perf_event_open, userfaultfd: reach into the kernel'],
  [[165, 166, 155, 428, 429, 430, 431, 432, 433, 442, 467], 'mount and related calls'],
  [[161, 272, 308], 'chroot, unshare, setns'],
  [[304], 'open_by_handle_at: files by number, past every directory'],
  [[175, 176, 313, 246, 320, 169], 'modules, kexec, reboot'],
  [[167, 168, 163, 179, 443], 'swap, accounting, quotas'],
  [[159, 164, 227, 305], 'the clock'],
  [[172, 173], 'ports'],
]

const SOCKET = 41
const CLONE = 56
const KILL = 62
const CLONE3 = 435
const IOCTL = 16

const AF_UNIX = 1
const AF_VSOCK = 40
const CLONE_NEWUSER = 0x1000_0000
/** Ioctls that put characters into a terminal's input. */
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c

const ARCH_X86_64 = 0xc000_003e
const X32 = 0x4000_0000

const ALLOW = 0x7fff_0000
const ERRNO = 0x0005_0000
const EPERM = 1
const ENOSYS = 38

const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0
const ARCH = 4
const argument = (index: number) => 16 + 8 * index

interface Step {
  readonly code: number
  readonly k: number
  /** Steps to skip if the test is true, and if it is false. */
  readonly jt?: number
  readonly jf?: number
}

const load = (offset: number): Step => ({ code: LOAD, k: offset })
const ret = (k: number): Step => ({ code: RETURN, k })
const refuse = ret(ERRNO | EPERM)

/** Runs `then`, which must return, if the accumulator matches `k`. */
const when = (k: number, then: readonly Step[], code = JUMP_EQUAL): Step[] => [
  { code, k, jt: 0, jf: then.length },
  ...then,
]

/**
 * The filter as the kernel takes it: an array of `struct sock_filter`, little endian.
 * @param sharesGroup whether the command is in our process group: kill(0) ignores PID namespaces and would reach us.
 */
export function seccompFilter(sharesGroup: boolean): Buffer {
  const steps: readonly Step[] = [
    load(ARCH),
    // Other architectures (32-bit calls by int 0x80) have other numbers.
    { code: JUMP_EQUAL, k: ARCH_X86_64, jt: 1, jf: 0 },
    ret(ERRNO | ENOSYS),
    load(NUMBER),
    ...when(X32, [ret(ERRNO | ENOSYS)], JUMP_AT_LEAST),
    // clone3 passes its flags by pointer, which a filter cannot follow; the C library falls back to clone.
    ...when(CLONE3, [ret(ERRNO | ENOSYS)]),
    ...DENIED.flatMap(([numbers]) => numbers.flatMap((number) => when(number, [refuse]))),
    ...when(SOCKET, [load(argument(0)), ...when(AF_UNIX, [refuse]), ...when(AF_VSOCK, [refuse]), ret(ALLOW)]),
    ...when(CLONE, [load(argument(0)), ...when(CLONE_NEWUSER, [refuse], JUMP_ANY_BIT), ret(ALLOW)]),
    ...(sharesGroup ? when(KILL, [load(argument(0)), ...when(0, [refuse]), ret(ALLOW)]) : []),
    ...when(IOCTL, [load(argument(1)), ...when(TIOCSTI, [refuse]), ...when(TIOCLINUX, [refuse]), ret(ALLOW)]),
    ret(ALLOW),
  ]
  const filter = Buffer.alloc(steps.length * 8)
  steps.forEach(({ code, k, jt = 0, jf = 0 }, index) => {
    filter.writeUInt16LE(code, index * 8)
    filter.writeUInt8(jt, index * 8 + 2)
    filter.writeUInt8(jf, index * 8 + 3)
    filter.writeUInt32LE(k >>> 0, index * 8 + 4)
  })
  return filter
}
