/**
 * A program that closes every descriptor from {@link FIRST_CLOSED} on, then becomes the program it is given: `close-others /path argument…`.
 * Node cannot say which descriptors a child inherits, dash cannot close those above 9, and what bubblewrap inherits it hands on: a
 * descriptor of the person's shell would reach the command, past every mount. So it is a few instructions of our own, for
 * the one architecture the filter is for.
 */

/** 0 to 2 are the command's own, 3 and 4 our pipes to bubblewrap, 5 the filter. */
const FIRST_CLOSED = 6

/** What a shell says of a program that cannot be started. */
const CANNOT_START = 126

// arch/x86/entry/syscalls/syscall_64.tbl
const EXECVE = 59
const EXIT = 60
const CLOSE_RANGE = 436

/** Where the kernel puts the program, and how the file begins (elf(5)). */
const ADDRESS = 0x40_0000
const FILE_HEADER = 64
const PROGRAM_HEADER = 56
const ENTRY = FILE_HEADER + PROGRAM_HEADER

const SYSCALL = [0x0f, 0x05]

/** `mov r32, number` for a register by its opcode. */
function set(register: number, value: number): number[] {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(register, 0)
  bytes.writeUInt32LE(value, 1)
  return [...bytes]
}

const EAX = 0xb8
const ESI = 0xbe
const EDI = 0xbf

/** At the start the stack holds argc, argv with a null behind it, and envp. */
const BECOME = [
  ...[0x48, 0x8b, 0x7c, 0x24, 0x10], // mov rdi, [rsp + 16]: argv[1]
  ...[0x48, 0x8d, 0x74, 0x24, 0x10], // lea rsi, [rsp + 16]: argv + 1
  ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: argc
  ...[0x48, 0x8d, 0x54, 0xc4, 0x10], // lea rdx, [rsp + 8 * argc + 16]: envp
  ...set(EAX, EXECVE),
  ...SYSCALL,
]

const CODE = [
  ...set(EAX, CLOSE_RANGE),
  ...set(EDI, FIRST_CLOSED),
  ...set(ESI, 0xffff_ffff),
  ...[0x31, 0xd2], // xor edx, edx
  ...SYSCALL,
  ...[0x85, 0xc0], // test eax, eax
  ...[0x75, BECOME.length], // jnz: what cannot be closed is not handed on
  ...BECOME,
  ...set(EDI, CANNOT_START),
  ...set(EAX, EXIT),
  ...SYSCALL,
]

/** The program as a file: a static executable for Linux on x86-64. */
export function closeOthers(): Buffer {
  const file = Buffer.alloc(ENTRY + CODE.length)
  // The class, byte order and version of the format; an executable of this machine.
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0)
  file.writeUInt16LE(2, 16)
  file.writeUInt16LE(62, 18)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(BigInt(ADDRESS + ENTRY), 24)
  file.writeBigUInt64LE(BigInt(FILE_HEADER), 32)
  file.writeUInt16LE(FILE_HEADER, 52)
  file.writeUInt16LE(PROGRAM_HEADER, 54)
  file.writeUInt16LE(1, 56)
  // One segment, all of the file: to be loaded, read and run.
  file.writeUInt32LE(1, FILE_HEADER)
  file.writeUInt32LE(5, FILE_HEADER + 4)
  for (const at of [16, 24]) file.writeBigUInt64LE(BigInt(ADDRESS), FILE_HEADER + at)
  for (const at of [32, 40]) file.writeBigUInt64LE(BigInt(file.length), FILE_HEADER + at)
  file.writeBigUInt64LE(0x1000n, FILE_HEADER + 48)
  file.set(CODE, ENTRY)
  return file
}
