import { CALL, executable, FAIL, INTO, SYSCALL, set } from './executable.js'

/**
 * A program that closes every descriptor from {@link FIRST_CLOSED} on, then becomes the program it is given: `close-others /path argument…`.
 * Node cannot say which descriptors a child inherits, dash cannot close those above 9, and what bubblewrap inherits it hands on: a
 * descriptor of the person's shell would reach the command, past every mount.
 */

/** 0 to 2 are the command's own, 3 and 4 our pipes to bubblewrap, 5 the filter. */
const FIRST_CLOSED = 6

/** At the start the stack holds argc, argv with a null behind it, and envp. */
const BECOME = [
  ...[0x48, 0x8b, 0x7c, 0x24, 0x10], // mov rdi, [rsp + 16]: argv[1]
  ...[0x48, 0x8d, 0x74, 0x24, 0x10], // lea rsi, [rsp + 16]: argv + 1
  ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: argc
  ...[0x48, 0x8d, 0x54, 0xc4, 0x10], // lea rdx, [rsp + 8 * argc + 16]: envp
  ...set(INTO.eax, CALL.execve),
  ...SYSCALL,
]

const CODE = [
  ...set(INTO.eax, CALL.closeRange),
  ...set(INTO.edi, FIRST_CLOSED),
  ...set(INTO.esi, 0xffff_ffff),
  ...[0x31, 0xd2], // xor edx, edx
  ...SYSCALL,
  ...[0x85, 0xc0], // test eax, eax
  ...[0x75, BECOME.length], // jnz: what cannot be closed is not handed on
  ...BECOME,
  ...FAIL,
]

export function closeOthers(): Buffer {
  return executable(CODE)
}
