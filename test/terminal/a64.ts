/** Runs the instructions of arm64 that our programs use, by the Arm Architecture Reference Manual (DDI 0487, C6.2). */

/** The kernel's result of a system call; `exit` and a successful execve end the program. */
export type Kernel = (number: number, args: readonly bigint[], memory: Memory) => number | 'ends'

const CODE_AT = 0x40_0000n
const STACK_AT = 0x7fff_0000n
const STACK_BYTES = 0x1_0000
const MOST_STEPS = 10_000
const low32 = (value: bigint) => BigInt.asUintN(32, value)

export class Memory {
  readonly #file: Buffer
  readonly #stack = Buffer.alloc(STACK_BYTES)
  constructor(file: Buffer) {
    this.#file = file
  }
  at(address: bigint, bytes: number): Buffer {
    const [space, from] = address >= STACK_AT ? [this.#stack, address - STACK_AT] : [this.#file, address - CODE_AT]
    if (from < 0n || Number(from) + bytes > space.length) throw new Error(`a fault at 0x${address.toString(16)}`)
    return space.subarray(Number(from), Number(from) + bytes)
  }
  text(address: bigint): string {
    let text = ''
    for (let at = address; ; at++) {
      const [byte = 0] = this.at(at, 1)
      if (byte === 0) return text
      text += String.fromCharCode(byte)
    }
  }
  /** The strings of a list of pointers that ends with a null. */
  texts(address: bigint): string[] {
    const found: string[] = []
    for (let at = address; ; at += 8n) {
      const pointer = this.at(at, 8).readBigUInt64LE()
      if (pointer === 0n) return found
      found.push(this.text(pointer))
    }
  }
}

/** Lays out the stack of a new program as the kernel does. @returns its stack pointer. */
function layOut(memory: Memory, args: readonly string[], env: readonly string[]): bigint {
  let strings = STACK_AT + BigInt(STACK_BYTES / 2)
  const put = (text: string) => {
    const bytes = Buffer.from(`${text}\0`, 'latin1')
    bytes.copy(memory.at(strings, bytes.length))
    strings += BigInt(bytes.length)
    return strings - BigInt(bytes.length)
  }
  const top = STACK_AT + BigInt(STACK_BYTES / 4)
  const stackWords = [BigInt(args.length), ...args.map(put), 0n, ...env.map(put), 0n]
  stackWords.forEach((word, index) => {
    memory.at(top + BigInt(index * 8), 8).writeBigUInt64LE(word)
  })
  return top
}

/** The signed number in the lowest bits of a word. */
const signedBits = (word: number, from: number, bits: number) => BigInt.asIntN(bits, BigInt(word >>> from))

/** Runs one of our ELF files to its end. @throws Error for a fault or an unknown instruction */
export function runProgramA64(file: Buffer, args: readonly string[], env: readonly string[], kernel: Kernel): void {
  const memory = new Memory(file)
  // The kernel's values in the registers must not matter.
  const x = Array.from({ length: 31 }, (_, index) => 0xdead_beef_0000_0000n + BigInt(index))
  let sp = layOut(memory, args, env)
  let pc = file.readBigUInt64LE(24)
  let [negative, overflow] = [false, false]
  const base = (n: number) => (n === 31 ? sp : (x[n] ?? 0n))
  const value = (n: number) => (n === 31 ? 0n : (x[n] ?? 0n))
  const stackAt = (address: bigint) => {
    if (sp % 16n !== 0n) throw new Error('the stack pointer is not aligned')
    return address
  }
  for (let step = 0; step < MOST_STEPS; step++) {
    const w = memory.at(pc, 4).readUInt32LE()
    const [d, n, m] = [w & 31, (w >>> 5) & 31, (w >>> 16) & 31]
    const [imm16, imm12] = [BigInt((w >>> 5) & 0xffff), BigInt((w >>> 10) & 0xfff)]
    const shift = BigInt(((w >>> 21) & 3) * 16)
    let next = pc + 4n
    const is = (mask: number, bits: number) => (w & mask) >>> 0 === bits >>> 0
    if (is(0xff80_0000, 0x5280_0000)) x[d] = imm16 << shift
    else if (is(0xff80_0000, 0x7280_0000)) x[d] = low32((value(d) & ~(0xffffn << shift)) | (imm16 << shift))
    else if (is(0xff80_0000, 0x1280_0000)) x[d] = low32(~(imm16 << shift))
    else if (is(0xffe0_ffe0, 0xaa00_03e0)) x[d] = value(m)
    else if (is(0xffc0_0000, 0x9100_0000)) {
      if (d === 31) sp = base(n) + imm12
      else x[d] = base(n) + imm12
    } else if (is(0xffc0_0000, 0xd100_0000)) {
      if (d === 31) sp = base(n) - imm12
      else x[d] = base(n) - imm12
    } else if (is(0xffe0_fc00, 0x8b00_0c00)) x[d] = BigInt.asUintN(64, value(n) + (value(m) << 3n))
    else if (is(0xffc0_0000, 0xf940_0000)) x[d] = memory.at(stackAt(base(n) + imm12 * 8n), 8).readBigUInt64LE()
    else if (is(0xffe0_0c00, 0xf840_0400)) {
      x[d] = memory.at(base(n), 8).readBigUInt64LE()
      x[n] = base(n) + signedBits(w, 12, 9)
    } else if (is(0xffc0_0000, 0x3940_0000)) x[d] = BigInt(memory.at(base(n) + imm12, 1).readUInt8())
    else if (is(0xffc0_0000, 0xf900_0000)) memory.at(stackAt(base(n) + imm12 * 8n), 8).writeBigUInt64LE(value(d))
    else if (is(0xffc0_0000, 0xb900_0000))
      memory.at(stackAt(base(n) + imm12 * 4n), 4).writeUInt32LE(Number(low32(value(d))))
    else if (is(0xffc0_001f, 0x7100_001f)) {
      const left = BigInt.asIntN(32, value(n))
      negative = BigInt.asIntN(32, left - imm12) < 0n
      overflow = BigInt.asIntN(32, left - imm12) !== left - imm12
    } else if (is(0xff00_001f, 0x5400_000b)) {
      if (negative !== overflow) next = pc + signedBits(w, 5, 19) * 4n
    } else if (is(0xff00_0000, 0x3400_0000)) {
      if (low32(value(d)) === 0n) next = pc + signedBits(w, 5, 19) * 4n
    } else if (is(0xff00_0000, 0x3500_0000)) {
      if (low32(value(d)) !== 0n) next = pc + signedBits(w, 5, 19) * 4n
    } else if (is(0xfff8_0000, 0x37f8_0000)) {
      if ((value(d) & 0x8000_0000n) !== 0n) next = pc + signedBits(w, 5, 14) * 4n
    } else if (is(0xfc00_0000, 0x1400_0000)) next = pc + signedBits(w, 0, 26) * 4n
    else if (is(0xfc00_0000, 0x9400_0000)) {
      x[30] = pc + 4n
      next = pc + signedBits(w, 0, 26) * 4n
    } else if (w === 0xd65f_03c0) next = value(30)
    else if (w === 0xd400_0001) {
      const answer = kernel(Number(low32(value(8))), x.slice(0, 6), memory)
      if (answer === 'ends') return
      x[0] = BigInt.asUintN(64, BigInt(answer))
    } else throw new Error(`an unknown instruction 0x${w.toString(16)}`)
    pc = next
  }
  throw new Error('the program does not end')
}
