/**
 * The system calls that the filter names, by architecture. Numbers are from arch/x86/entry/syscalls/syscall_64.tbl and from
 * include/uapi/asm-generic/unistd.h, which arm64 uses.
 */

/** The architectures that commands can be contained on, in Node's words. */
export type Architecture = 'x64' | 'arm64'

/** `null` where the architecture does not have the call. */
export const SYSTEM_CALLS = {
  socket: { x64: 41, arm64: 198 },
  clone: { x64: 56, arm64: 220 },
  kill: { x64: 62, arm64: 129 },
  ioctl: { x64: 16, arm64: 29 },
  clone3: { x64: 435, arm64: 435 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  process_madvise: { x64: 440, arm64: 440 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  open_tree_attr: { x64: 467, arm64: 467 },
  chroot: { x64: 161, arm64: 51 },
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  adjtimex: { x64: 159, arm64: 171 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  clock_adjtime: { x64: 305, arm64: 266 },
  iopl: { x64: 172, arm64: null },
  ioperm: { x64: 173, arm64: null },
} as const satisfies Readonly<Record<string, Readonly<Record<Architecture, number | null>>>>

export type SystemCall = keyof typeof SYSTEM_CALLS

/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64` (include/uapi/linux/audit.h). */
export const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** The architecture of this process, which its commands have too. @throws Error if commands cannot be contained on it. */
export function ownArchitecture(): Architecture {
  if (process.arch === 'x64' || process.arch === 'arm64') return process.arch
  throw new Error(`Commands cannot be contained on ${process.arch}: only on x64 and arm64.`)
}
