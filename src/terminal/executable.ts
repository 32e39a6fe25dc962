/** Writes small static executables as machine code, for Linux on x86-64, the only architecture of the seccomp filter. */

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

/** A shell's exit code for a program that cannot be executed. */
const CANNOT_START = 126

/** Load address and header sizes (elf(5)). */
const ADDRESS = 0x40_0000
const FILE_HEADER = 64
const PROGRAM_HEADER = 56
const ENTRY = FILE_HEADER + PROGRAM_HEADER

export const SYSCALL = [0x0f, 0x05]

/** Opcodes of `mov r32, number`. */
export const MOV_INTO = { eax: 0xb8, edx: 0xba, esi: 0xbe, edi: 0xbf }

/** `mov r32, number` for a register of {@link MOV_INTO}. */
export function movImmediate(register: number, value: number): number[] {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(register, 0)
  bytes.writeUInt32LE(value, 1)
  return [...bytes]
}

/** Exits with {@link CANNOT_START}. */
export const EXIT_FAILED = [
  ...movImmediate(MOV_INTO.edi, CANNOT_START),
  ...movImmediate(MOV_INTO.eax, CALL.exit),
  ...SYSCALL,
]

/** An ELF file with one segment, loaded at {@link ADDRESS}. */
export function executable(code: readonly number[]): Buffer {
  const file = Buffer.alloc(ENTRY + code.length)
  // e_ident: magic, 64-bit class, little endian, version 1. Then type ET_EXEC and machine EM_X86_64.
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0)
  file.writeUInt16LE(2, 16)
  file.writeUInt16LE(62, 18)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(BigInt(ADDRESS + ENTRY), 24)
  file.writeBigUInt64LE(BigInt(FILE_HEADER), 32)
  file.writeUInt16LE(FILE_HEADER, 52)
  file.writeUInt16LE(PROGRAM_HEADER, 54)
  file.writeUInt16LE(1, 56)
  // One PT_LOAD segment over the whole file, readable and executable.
  file.writeUInt32LE(1, FILE_HEADER)
  file.writeUInt32LE(5, FILE_HEADER + 4)
  for (const at of [16, 24]) file.writeBigUInt64LE(BigInt(ADDRESS), FILE_HEADER + at)
  for (const at of [32, 40]) file.writeBigUInt64LE(BigInt(file.length), FILE_HEADER + at)
  file.writeBigUInt64LE(0x1000n, FILE_HEADER + 48)
  file.set(code, ENTRY)
  return file
}
