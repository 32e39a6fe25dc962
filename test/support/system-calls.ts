import { readFileSync } from 'node:fs'
import { type Architecture, ownArchitecture, SYSTEM_CALLS } from '../../src/terminal/system-calls.js'

type Numbers = Readonly<Record<string, number>>

/** The numbers in the kernel's headers, from a file. */
export const HEADER_NUMBERS: Readonly<Record<Architecture, Numbers>> = JSON.parse(
  readFileSync(new URL('../fixtures/system-calls.json', import.meta.url), 'utf8'),
)

/** The number of a system call on this machine; undefined if its architecture has none. */
export function systemCall(name: string): number | undefined {
  const architecture = ownArchitecture()
  const own = Object.entries(SYSTEM_CALLS).find(([each]) => each === name)?.[1][architecture]
  return own ?? HEADER_NUMBERS[architecture][name]
}
