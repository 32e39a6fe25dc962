/** Small programs of our own, written as machine code: static executables for Linux on x86-64, the one architecture the filter is for. */

/** System calls by number (arch/x86/entry/syscalls/syscall_64.tbl). */
export const CALL = {
  open: 2,
  execve: 59,
  exit: 60,
  closeRange: 436,
  landlockCreateRuleset: 444,
  landlockAddRule: 445,
  landlockRestrictSelf: 446,
}

/** What a shell says of a program that cannot be started. */
const CANNOT_START = 126

/** Where the kernel puts the program, and how the file begins (elf(5)). */
const ADDRESS = 0x40_0000
const FILE_HEADER = 64
const PROGRAM_HEADER = 56
const ENTRY = FILE_HEADER + PROGRAM_HEADER

export const SYSCALL = [0x0f, 0x05]

/** Opcodes of `mov r32, number`. */
export const INTO = { eax: 0xb8, edx: 0xba, esi: 0xbe, edi: 0xbf }

/** `mov r32, number` for a register of {@link INTO}. */
export function set(register: number, value: number): number[] {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(register, 0)
  bytes.writeUInt32LE(value, 1)
  return [...bytes]
}

/** Ends the program as one that could not start the next. */
export const FAIL = [...set(INTO.edi, CANNOT_START), ...set(INTO.eax, CALL.exit), ...SYSCALL]

/** The program as a file. */
export function executable(code: readonly number[]): Buffer {
  const file = Buffer.alloc(ENTRY + code.length)
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
  file.set(code, ENTRY)
  return file
}
