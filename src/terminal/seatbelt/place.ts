import { existsSync } from 'node:fs'
import { createFile } from '../../os/write.js'
import type { CommandEnd, CommandOptions } from '../command-io.js'
import type { Place } from '../command-place.js'
import type { Shown } from '../containment.js'
import { type CopyDirs, NO_SPOOL, openCopyPlace } from '../copy-place.js'
import { runUncontained } from '../uncontained.js'
import { SANDBOX_EXEC, seatbeltCommand } from './command.js'

/** Exit codes of sandbox-exec for a wrong call, and a profile that cannot be applied. */
const NOT_APPLIED = [64, 65, 71]

/** Opens a copy of the workspace that commands run on under Seatbelt. The copy is cloned, so it shares its blocks with the workspace. */
export async function openSeatbelt({ root }: Shown): Promise<Place> {
  return openCopyPlace(root, {
    isolation: 'sandbox',
    startsWith: 'command',
    isAlive: true,
    run: runSeatbelt,
    close: async () => undefined,
    ...NO_SPOOL,
  })
}

let profiles = 0

/** @throws Error if the profile cannot be applied. Then nothing of the command was started. */
async function runSeatbelt(options: CommandOptions, dirs: CopyDirs): Promise<CommandEnd> {
  if (!existsSync(SANDBOX_EXEC)) throw new Error(`${SANDBOX_EXEC} is not there: Seatbelt is a part of macOS.`)
  const file = `${dirs.scratch}/profile-${profiles++}`
  const { text, args } = seatbeltCommand(options, dirs, file)
  createFile(file, text, 0o600, false)
  const end = await runUncontained({ ...options, args }, dirs)
  if (NOT_APPLIED.includes(end.exitCode ?? 0) && end.stderr.startsWith('sandbox-exec: '))
    throw new Error(`The sandbox could not be set up: ${end.stderr.trim()}`)
  return end
}
