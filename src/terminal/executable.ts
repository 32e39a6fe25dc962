import { type Instruction, set, systemCall } from './arm64.js'
import type { Architecture } from './system-calls.js'

/** Writes small static executables as machine code, for Linux on x86-64 and arm64. */

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

/** The same on arm64 (include/uapi/asm-generic/unistd.h), which has no open(2). */
export const CALL_ARM64 = { ...CALL, openat: 56, execve: 221, exit: 93 }

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

/** The same on arm64. */
export const EXIT_FAILED_ARM64: readonly Instruction[] = [...set(0, CANNOT_START), ...systemCall(CALL_ARM64.exit)]

/** `e_machine` of an ELF file: EM_X86_64 and EM_AARCH64. */
const MACHINE: Readonly<Record<Architecture, number>> = { x64: 62, arm64: 183 }
/** The largest pages that a kernel of either architecture has. */
const PAGE = 0x1_0000n

/** An ELF file with one segment, loaded at {@link ADDRESS}. */
export function executable(code: readonly number[], architecture: Architecture): Buffer {
  const file = Buffer.alloc(ENTRY + code.length)
  // e_ident: magic, 64-bit class, little endian, version 1. Then type ET_EXEC and the machine.
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0)
  file.writeUInt16LE(2, 16)
  file.writeUInt16LE(MACHINE[architecture], 18)
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
  file.writeBigUInt64LE(PAGE, FILE_HEADER + 48)
  file.set(code, ENTRY)
  return file
}
