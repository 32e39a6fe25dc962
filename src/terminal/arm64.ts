/**
 * A few instructions of arm64 (A64) as 32-bit words, and labels to jump to. Every form is checked against the words of the GNU
 * assembler in the tests.
 */

/** A position in the code, without bytes of its own. */
export interface Label {
  readonly label: string
}

/** A jump to a {@link Label}. `word` takes its distance in instructions. */
interface Jump {
  readonly to: string
  readonly word: (distance: number) => number
}

export type Instruction = number | Label | Jump

/**
 * Registers with a meaning: 31 is the stack pointer or, for `compare`, one that is always zero. 8 has a system call's
 * number.
 */
export const REGISTER = { sp: 31, zero: 31, call: 8 } as const

/** Distances are signed, in a field of the word. */
const field = (distance: number, bits: number) => distance & (2 ** bits - 1)

export const label = (name: string): Label => ({ label: name })

/** `mov wN, #value`, and the one more word that a value beyond 16 bits needs. The upper half of xN becomes 0. */
export function set(register: number, value: number): Instruction[] {
  const [low, high] = [value & 0xffff, value >>> 16]
  if (high === 0) return [0x5280_0000 | (low << 5) | register]
  const word = 0x52a0_0000 | (high << 5) | register
  return low === 0 ? [word] : [word, 0x7280_0000 | (low << 5) | register]
}

/** `mov wN, #-1 - value`. */
export const setNot = (register: number, value: number): Instruction => 0x1280_0000 | (value << 5) | register

/** `mov xTO, xFROM`; of general registers, not of the stack pointer. */
export const copy = (to: number, from: number): Instruction => 0xaa00_03e0 | (from << 16) | to

/** `add xTO, xFROM, #bytes`. */
export const addBytes = (to: number, from: number, bytes: number): Instruction =>
  0x9100_0000 | (bytes << 10) | (from << 5) | to

/** `add xTO, xBASE, xINDEX, lsl #3`: the address of a pointer in a list. */
export const addPointers = (to: number, base: number, index: number): Instruction =>
  0x8b00_0c00 | (index << 16) | (base << 5) | to

/** `sub sp, sp, #bytes`. */
export const takeStack = (bytes: number): Instruction => 0xd100_0000 | (bytes << 10) | (REGISTER.sp << 5) | REGISTER.sp

/** `ldr xTO, [xFROM, #offset]`. */
export const load = (to: number, from: number, offset = 0): Instruction =>
  0xf940_0000 | ((offset / 8) << 10) | (from << 5) | to

/** `ldr xTO, [xFROM], #8`: reads a list. */
export const loadNext = (to: number, from: number): Instruction => 0xf840_8400 | (from << 5) | to

/** `ldrb wTO, [xFROM]`. */
export const loadByte = (to: number, from: number): Instruction => 0x3940_0000 | (from << 5) | to

/** `str xFROM, [sp, #offset]`. */
export const store = (from: number, offset: number): Instruction =>
  0xf900_0000 | ((offset / 8) << 10) | (REGISTER.sp << 5) | from

/** `str wFROM, [sp, #offset]`. */
export const storeHalf = (from: number, offset: number): Instruction =>
  0xb900_0000 | ((offset / 4) << 10) | (REGISTER.sp << 5) | from

/** `cmp wN, #value`. */
export const compare = (register: number, value: number): Instruction =>
  0x7100_0000 | (value << 10) | (register << 5) | REGISTER.zero

export const ifLess = (to: string): Instruction => ({
  to,
  word: (distance) => 0x5400_000b | (field(distance, 19) << 5),
})

/** `cbz wN`. */
export const ifZero = (register: number, to: string): Instruction => ({
  to,
  word: (distance) => 0x3400_0000 | (field(distance, 19) << 5) | register,
})

/** `cbnz wN`. */
export const ifNotZero = (register: number, to: string): Instruction => ({
  to,
  word: (distance) => 0x3500_0000 | (field(distance, 19) << 5) | register,
})

/** `tbnz wN, #31`. */
export const ifNegative = (register: number, to: string): Instruction => ({
  to,
  word: (distance) => 0x37f8_0000 | (field(distance, 14) << 5) | register,
})

export const jump = (to: string): Instruction => ({ to, word: (distance) => 0x1400_0000 | field(distance, 26) })

export const callTo = (to: string): Instruction => ({ to, word: (distance) => 0x9400_0000 | field(distance, 26) })

export const RETURN: Instruction = 0xd65f_03c0

/** A system call by number: `mov w8, #number; svc #0`. */
export const systemCall = (number: number): Instruction[] => [...set(REGISTER.call, number), 0xd400_0001]

/** The code as bytes. @throws Error for a jump to a label that is missing. */
export function assemble(code: readonly Instruction[]): number[] {
  const places = new Map<string, number>()
  let length = 0
  for (const each of code)
    if (typeof each === 'object' && 'label' in each) places.set(each.label, length)
    else length += 1
  const bytes = Buffer.alloc(length * 4)
  let at = 0
  for (const each of code) {
    if (typeof each === 'object' && 'label' in each) continue
    bytes.writeUInt32LE((typeof each === 'number' ? each : each.word(distanceTo(places, each.to, at))) >>> 0, at * 4)
    at += 1
  }
  return [...bytes]
}

function distanceTo(places: ReadonlyMap<string, number>, name: string, from: number): number {
  const place = places.get(name)
  if (place === undefined) throw new Error(`The program has no label '${name}'.`)
  return place - from
}
