import type { SystemCall } from '../system-calls.js'
import type { LaunchMachine } from './launch-job.js'

export type Libc = ReturnType<typeof openLibc>

/** Calls functions of the C library by the koffi package. The launcher runs the text of this function. */
export function openLibc({ koffi: file, numbers }: LaunchMachine) {
  const { createRequire } = process.getBuiltinModule('node:module')
  const { constants } = process.getBuiltinModule('node:os')
  const koffi = createRequire('/')(file)
  const libc = koffi.load(null)
  const long = 'int64_t'
  const raw: (...args: (number | bigint)[]) => number = libc.func('syscall', long, Array(7).fill(long))
  const addressOf = (buffer: Buffer): bigint => koffi.address(buffer)
  const errorName = (code: number = koffi.errno()): string => {
    return Object.entries(constants.errno).find(([, each]) => each === code)?.[0] ?? `error ${code}`
  }
  const call = (name: SystemCall, ...args: (number | bigint)[]): number => {
    const number = numbers[name]
    if (number === undefined || number === null) throw new Error(`${name} is not known here`)
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args
    return Number(raw(number, a, b, c, d, e, f))
  }
  const must = (name: SystemCall, ...args: (number | bigint)[]): number => {
    const result = call(name, ...args)
    if (result < 0) throw new Error(`${name}: ${errorName()}`)
    return result
  }
  const lastError = (): number => koffi.errno()
  return { libc, addressOf, call, must, errorName, lastError }
}
