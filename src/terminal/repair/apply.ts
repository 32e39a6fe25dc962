import type { Repair } from '../../core/protection.js'
import type { Machine } from './machine.js'

/** The programs that give a person the rights of root for one command. */
const ELEVATORS = ['sudo', 'doas']

/** The commands as this user has to start them; undefined if there is no way to. */
export function elevated(repair: Repair, machine: Machine): string[][] | undefined {
  const elevator = ELEVATORS.find((each) => machine.find(each) !== undefined)
  if (machine.uid !== 0 && elevator === undefined) return undefined
  const before = machine.uid === 0 || elevator === undefined ? [] : [elevator]
  return repair.commands.map((command) => [...before, ...command])
}

/** Runs the commands of a repair in order, up to the first that fails. Resolves with whether all of them succeeded. */
export async function applyRepair(repair: Repair, machine: Machine): Promise<boolean> {
  const commands = elevated(repair, machine)
  if (commands === undefined) return false
  for (const [program = '', ...args] of commands) {
    const path = machine.find(program)
    if (path === undefined || (await machine.run([path, ...args])) !== 0) return false
  }
  return true
}
