/** Runs a seccomp filter as the kernel does (Documentation/networking/filter.rst), and refuses what its checker would refuse. */

const LOAD = 0x20
const JUMPS: Readonly<Record<number, (a: number, k: number) => boolean>> = {
  21: (a, k) => a === k,
  37: (a, k) => a > k,
  53: (a, k) => a >= k,
  69: (a, k) => (a & k) !== 0,
}
const RETURN = 0x06
const AND = 0x54
/** The size of `struct seccomp_data`. */
const DATA = 64
/** BPF_MAXINSNS. */
const MOST_STEPS = 4096

export interface SystemCallData {
  readonly number: number
  readonly arch: number
  readonly args: readonly bigint[]
}

function dataOf({ number, arch, args }: SystemCallData): Buffer {
  const data = Buffer.alloc(DATA)
  data.writeUInt32LE(number >>> 0, 0)
  data.writeUInt32LE(arch >>> 0, 4)
  args.forEach((arg, index) => {
    data.writeBigUInt64LE(BigInt.asUintN(64, arg), 16 + 8 * index)
  })
  return data
}

/** The value that the filter returns. @throws Error for a program that the kernel would not load. */
export function runFilter(filter: Buffer, call: SystemCallData): number {
  const steps = filter.length / 8
  if (!Number.isInteger(steps) || steps < 1 || steps > MOST_STEPS) throw new Error(`${filter.length} bytes`)
  const data = dataOf(call)
  let accumulator = 0
  for (let at = 0; at < steps; at++) {
    const [code, jt, jf] = [filter.readUInt16LE(at * 8), filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)]
    const k = filter.readUInt32LE(at * 8 + 4)
    if (code === RETURN) return k
    if (code === LOAD) {
      if (k % 4 !== 0 || k >= DATA) throw new Error(`step ${at} loads from ${k}`)
      accumulator = data.readUInt32LE(k)
      continue
    }
    if (code === AND) {
      accumulator = (accumulator & k) >>> 0
      continue
    }
    const isTrue = JUMPS[code]
    if (isTrue === undefined) throw new Error(`step ${at} has the code ${code}`)
    at += isTrue(accumulator, k) ? jt : jf
  }
  throw new Error('the filter ends without a return')
}
