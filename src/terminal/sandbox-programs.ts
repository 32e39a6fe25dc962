import { closeOthers } from './close-others.js'
import { seccompFilter } from './seccomp.js'
import { ownArchitecture } from './system-calls.js'
import { writeOnly } from './write-only.js'

/** The filters and programs of a sandbox, for this machine's architecture. Only a process that starts commands loads this file. */
export interface SandboxPrograms {
  readonly filter: Buffer
  /** The filter for a command in our own process group. */
  readonly sharedFilter: Buffer
  readonly closeOthers: Buffer
  readonly writeOnly: Buffer
}

/** @throws Error if commands cannot be contained on this architecture. */
export function sandboxPrograms(): SandboxPrograms {
  const architecture = ownArchitecture()
  return {
    filter: seccompFilter(false, architecture),
    sharedFilter: seccompFilter(true, architecture),
    closeOthers: closeOthers(architecture),
    writeOnly: writeOnly(architecture),
  }
}
