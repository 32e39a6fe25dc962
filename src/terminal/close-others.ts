import { addBytes, addPointers, assemble, ifNotZero, label, load, REGISTER, set, setNot, systemCall } from './arm64.js'
import {
  CALL,
  CALL_ARM64,
  EXIT_FAILED,
  EXIT_FAILED_ARM64,
  executable,
  MOV_INTO,
  movImmediate,
  SYSCALL,
} from './executable.js'
import type { Architecture } from './system-calls.js'

/**
 * A program that closes every descriptor from {@link FIRST_CLOSED} on, then executes its arguments:
 * `close-others /path argument…`. Node cannot choose which descriptors a child inherits, dash cannot close those above
 * 9, and bubblewrap passes on those it inherits. Without this program a descriptor of the person's shell would reach the
 * command, past every mount.
 */

/** 0 to 2 are the command's, 3 and 4 our pipes to bubblewrap, 5 the seccomp filter. */
const FIRST_CLOSED = 6

/** At the start the stack holds argc, argv with a null after it, and envp. */
const BECOME = [
  ...[0x48, 0x8b, 0x7c, 0x24, 0x10], // mov rdi, [rsp + 16]: argv[1]
  ...[0x48, 0x8d, 0x74, 0x24, 0x10], // lea rsi, [rsp + 16]: argv + 1
  ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: argc
  ...[0x48, 0x8d, 0x54, 0xc4, 0x10], // lea rdx, [rsp + 8 * argc + 16]: envp
  ...movImmediate(MOV_INTO.eax, CALL.execve),
  ...SYSCALL,
]

const CODE = [
  ...movImmediate(MOV_INTO.eax, CALL.closeRange),
  ...movImmediate(MOV_INTO.edi, FIRST_CLOSED),
  ...movImmediate(MOV_INTO.esi, 0xffff_ffff),
  ...[0x31, 0xd2], // xor edx, edx
  ...SYSCALL,
  ...[0x85, 0xc0], // test eax, eax
  ...[0x75, BECOME.length], // jnz: do not execute with descriptors that could not be closed
  ...BECOME,
  ...EXIT_FAILED,
]

const ARM64 = assemble([
  ...set(0, FIRST_CLOSED),
  setNot(1, 0),
  ...set(2, 0),
  ...systemCall(CALL_ARM64.closeRange),
  ifNotZero(0, 'fail'),
  load(0, REGISTER.sp, 16), // argv[1]
  addBytes(1, REGISTER.sp, 16), // argv + 1
  load(2, REGISTER.sp), // argc
  addPointers(2, 1, 2), // envp is at argv + 1 + argc: a null is after argv
  ...systemCall(CALL_ARM64.execve),
  label('fail'),
  ...EXIT_FAILED_ARM64,
])

export function closeOthers(architecture: Architecture): Buffer {
  return executable(architecture === 'x64' ? CODE : ARM64, architecture)
}
