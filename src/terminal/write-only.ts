import { CALL, EXIT_FAILED, executable, MOV_INTO, movImmediate, SYSCALL } from './executable.js'
import type { Architecture } from './system-calls.js'
import { WRITE_ONLY_ARM64 } from './write-only-arm64.js'
import { LANDLOCK } from './write-only-rules.js'

/**
 * A program that restricts itself to opening files for writing below the given paths (Landlock, Linux 5.19), then executes a program:
 * `write-only / /path… '' /program argument…`. A read-only mount does not prevent opening a FIFO for writing, so a command could feed
 * a program of the person that reads it.
 *
 * Descriptors 1 and 2 can still be opened by name (`/dev/stderr`), whatever they are. On an older kernel the program starts without
 * the restriction.
 */

/** The operand of a backward short jump, relative to the next instruction. */
const back = (bytes: number) => 256 - bytes

/** mov dword [rsp], imm32. */
const setTop = (value: number) => [0xc7, 0x04, 0x24, ...movImmediate(MOV_INTO.eax, value).slice(1)]

/** A subroutine that adds the rule on top of the stack, `struct landlock_path_beneath_attr`, to the ruleset in r12. */
const ALLOW = [
  ...movImmediate(MOV_INTO.eax, CALL.landlockAddRule),
  ...[0x44, 0x89, 0xe7], // mov edi, r12d
  ...movImmediate(MOV_INTO.esi, 1), // LANDLOCK_RULE_PATH_BENEATH
  ...[0x48, 0x8d, 0x54, 0x24, 0x08], // lea rdx, [rsp + 8]: the struct, after the return address
  ...[0x45, 0x31, 0xd2], // xor r10d, r10d
  ...SYSCALL,
  0xc3, // ret
]

const call = (bytes: number) => {
  const code = Buffer.alloc(5)
  code.writeUInt8(0xe8, 0)
  code.writeInt32LE(bytes, 1)
  return [...code]
}

const BECOME = [
  ...[0x48, 0x8b, 0x3b], // mov rdi, [rbx]
  ...[0x48, 0x89, 0xde], // mov rsi, rbx
  ...[0x48, 0x89, 0xea], // mov rdx, rbp
  ...movImmediate(MOV_INTO.eax, CALL.execve),
  ...SYSCALL,
]

const RESTRICT = [
  ...movImmediate(MOV_INTO.eax, CALL.landlockRestrictSelf),
  ...[0x44, 0x89, 0xe7], // mov edi, r12d
  ...[0x31, 0xf6], // xor esi, esi
  ...SYSCALL,
  ...[0x85, 0xc0], // test eax, eax
  ...[0x75, BECOME.length], // jnz: fail
]

const ENTER = [
  ...[0x45, 0x85, 0xe4], // test r12d, r12d
  ...[0x78, RESTRICT.length], // js: there is no ruleset
  ...RESTRICT,
  ...BECOME,
  ...EXIT_FAILED,
]

const ADD_PATH = [
  ...[0x89, 0x44, 0x24, 0x08], // mov [rsp + 8], eax: parent_fd
  ...call(setTop(LANDLOCK.writeFile).length + 2),
  ...setTop(LANDLOCK.writeFile),
]

const OPEN_PATH = [
  ...movImmediate(MOV_INTO.eax, CALL.open),
  ...movImmediate(MOV_INTO.esi, LANDLOCK.openFlags),
  ...SYSCALL,
  ...[0x85, 0xc0], // test eax, eax
]

const TAKE_PATH = [
  ...[0x48, 0x8b, 0x3b], // mov rdi, [rbx]
  ...[0x48, 0x83, 0xc3, 0x08], // add rbx, 8
  ...[0x80, 0x3f, 0x00], // cmp byte [rdi], 0: the end of the paths
]

const HAVE_RULES = [0x45, 0x85, 0xe4] // test r12d, r12d
const JUMP = 2
const loopLength = TAKE_PATH.length + JUMP + HAVE_RULES.length + JUMP + OPEN_PATH.length + JUMP + ADD_PATH.length + JUMP

/** Adds a rule for each path. Skips a missing path, and all of them without a ruleset. */
const EACH_PATH = [
  ...TAKE_PATH,
  ...[0x74, loopLength - TAKE_PATH.length - JUMP + ALLOW.length], // je ENTER
  ...HAVE_RULES,
  ...[0x78, back(TAKE_PATH.length + JUMP + HAVE_RULES.length + JUMP)], // js: the next
  ...OPEN_PATH,
  ...[0x78, back(TAKE_PATH.length + JUMP + HAVE_RULES.length + JUMP + OPEN_PATH.length + JUMP)], // js: the next
  ...ADD_PATH,
  ...[0xeb, back(loopLength)], // jmp: the next
]

const NEXT_DESCRIPTOR = [0xff, 0x44, 0x24, 0x08] // inc dword [rsp + 8]
const CALL_BYTES = 5
/** Adds rules for descriptors 1 and 2, then lets files be moved anywhere below the first path, the root. */
const OWN_OUTPUT = [
  ...[0x6a, 1], // push 1: parent_fd
  ...[0x6a, LANDLOCK.writeFile], // push: allowed_access
  ...call(NEXT_DESCRIPTOR.length + CALL_BYTES + setTop(LANDLOCK.refer).length + loopLength),
  ...NEXT_DESCRIPTOR,
  ...call(setTop(LANDLOCK.refer).length + loopLength),
  ...setTop(LANDLOCK.refer),
]

const MAKE_RULES = [
  ...[0x68, ...movImmediate(MOV_INTO.eax, LANDLOCK.writeFile | LANDLOCK.refer).slice(1)], // push: handled_access_fs
  ...movImmediate(MOV_INTO.eax, CALL.landlockCreateRuleset),
  ...[0x48, 0x89, 0xe7], // mov rdi, rsp
  ...movImmediate(MOV_INTO.esi, 8), // its size
  ...[0x31, 0xd2], // xor edx, edx
  ...SYSCALL,
  ...[0x41, 0x89, 0xc4], // mov r12d, eax
]

const CODE = [
  // At the start the stack holds argc, argv with a null after it, and envp.
  ...[0x48, 0x8b, 0x04, 0x24], // mov rax, [rsp]: argc
  ...[0x48, 0x8d, 0x6c, 0xc4, 0x10], // lea rbp, [rsp + 8 * argc + 16]: envp
  ...[0x48, 0x8d, 0x5c, 0x24, 0x10], // lea rbx, [rsp + 16]: argv + 1
  ...[0x41, 0x83, 0xcc, 0xff], // or r12d, -1: no ruleset yet
  ...movImmediate(MOV_INTO.eax, CALL.landlockCreateRuleset),
  ...[0x31, 0xff], // xor edi, edi
  ...[0x31, 0xf6], // xor esi, esi
  ...movImmediate(MOV_INTO.edx, 1), // LANDLOCK_CREATE_RULESET_VERSION
  ...SYSCALL,
  ...[0x83, 0xf8, LANDLOCK.leastVersion], // cmp eax, version
  ...[0x7c, MAKE_RULES.length + OWN_OUTPUT.length], // jl: without it
  ...MAKE_RULES,
  ...OWN_OUTPUT,
  ...EACH_PATH,
  ...ALLOW,
  ...ENTER,
]

export function writeOnly(architecture: Architecture): Buffer {
  return executable(architecture === 'x64' ? CODE : WRITE_ONLY_ARM64, architecture)
}
