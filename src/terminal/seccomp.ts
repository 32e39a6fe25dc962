/**
 * The system calls a command cannot make, as a filter for the kernel (seccomp(2), classic BPF; numbers of
 * arch/x86/entry/syscalls/syscall_64.tbl). Namespaces hold a command in; this takes away what reaches around them.
 */

/** Denied whatever their arguments, with the reason. */
const DENIED: readonly (readonly [numbers: readonly number[], why: string])[] = [
  [[425, 426, 427], 'io_uring: makes every other call past this filter'],
  [[101, 310, 311, 440, 312], 'ptrace, process_vm_*, process_madvise, kcmp: other processes'],
  [[438], 'pidfd_getfd: descriptors of other processes'],
  [[248, 249, 250], 'add_key, request_key, keyctl: keyrings know no namespace'],
  [[321, 298, 323], 'bpf, perf_event_open, userfaultfd: the kernel itself'],
  [[165, 166, 155, 428, 429, 430, 431, 432, 433, 442, 467], 'mount and its kin'],
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
/** Characters put into a terminal's input. */
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
  /** Steps to skip where the test holds, and where it does not. */
  readonly jt?: number
  readonly jf?: number
}

const load = (offset: number): Step => ({ code: LOAD, k: offset })
const give = (k: number): Step => ({ code: RETURN, k })
const refuse = give(ERRNO | EPERM)

/** Where the accumulator is `k`, goes on with `then`; these must return. */
const when = (k: number, then: readonly Step[], code = JUMP_EQUAL): Step[] => [
  { code, k, jt: 0, jf: then.length },
  ...then,
]

/**
 * The filter as the kernel takes it: an array of `struct sock_filter`, little endian.
 * @param sharesGroup the command is in our own process group: a signal to "my group" knows no namespace, and would reach us.
 */
export function seccompFilter(sharesGroup: boolean): Buffer {
  const steps: readonly Step[] = [
    load(ARCH),
    // Calls of other architectures (32 bits by int 0x80) have other numbers.
    { code: JUMP_EQUAL, k: ARCH_X86_64, jt: 1, jf: 0 },
    give(ERRNO | ENOSYS),
    load(NUMBER),
    ...when(X32, [give(ERRNO | ENOSYS)], JUMP_AT_LEAST),
    // Its flags are behind a pointer, where no filter can look: the C library falls back on clone.
    ...when(CLONE3, [give(ERRNO | ENOSYS)]),
    ...DENIED.flatMap(([numbers]) => numbers.flatMap((number) => when(number, [refuse]))),
    ...when(SOCKET, [load(argument(0)), ...when(AF_UNIX, [refuse]), ...when(AF_VSOCK, [refuse]), give(ALLOW)]),
    ...when(CLONE, [load(argument(0)), ...when(CLONE_NEWUSER, [refuse], JUMP_ANY_BIT), give(ALLOW)]),
    ...(sharesGroup ? when(KILL, [load(argument(0)), ...when(0, [refuse]), give(ALLOW)]) : []),
    ...when(IOCTL, [load(argument(1)), ...when(TIOCSTI, [refuse]), ...when(TIOCLINUX, [refuse]), give(ALLOW)]),
    give(ALLOW),
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
