import type { Command } from 'commander'

/** An option or argument, as messages name it, and whether it was given. */
export type Given = readonly [name: string, isGiven: boolean]

/** Refuses two arguments or options that exclude each other, as wrong usage. */
export function refuseTogether(command: Command, [one, hasOne]: Given, [other, hasOther]: Given): void {
  if (hasOne && hasOther) command.error(`error: give ${one} or ${other}, not both`)
}

/** Refuses an option without the one that it belongs to, as wrong usage. */
export function refuseAlone(command: Command, [option, hasOption]: Given, [needed, hasNeeded]: Given): void {
  if (hasOption && !hasNeeded) command.error(`error: option '${option}' needs '${needed}'`)
}
