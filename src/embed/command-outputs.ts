import { readdirSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { readWhole } from '../os/read.js'
import { layoutAt } from '../os/workspace-state.js'
import { createFile, ensurePrivateDir, removeName } from '../os/write.js'
import { syncState } from '../session/index.js'

/** Stores outputs of commands that are too long to return at once, next to the session's stage. */
export interface CommandOutputs {
  /** Stores an output. @returns its name, `cmd-<milliseconds>.txt` */
  keep(output: Uint8Array): string
  /** Returns undefined for an unknown or deleted name. */
  read(name: string): Buffer | undefined
}

/** How many outputs are kept; the oldest are deleted first. */
const MAX_KEPT = 50
const OUTPUT_NAME = /^cmd-\d{1,16}\.txt$/

/**
 * Opens the store of a session's long command outputs.
 * @throws EscrowError `unsupported` for a session that `openWorkspace` did not make
 */
export function commandOutputs(session: Session): CommandOutputs {
  const dir = layoutAt(syncState(session).view.root).session(session.id).outputs
  return {
    keep(output) {
      ensurePrivateDir(dir)
      const name = createOutput(dir, output)
      for (const old of namesIn(dir).slice(0, -MAX_KEPT)) removeName(`${dir}/${old}`)
      return name
    },
    read: (name) => (OUTPUT_NAME.test(name) ? readOutput(dir, name) : undefined),
  }
}

function createOutput(dir: string, output: Uint8Array): string {
  for (let at = Date.now(); ; at++) {
    const name = `cmd-${at}.txt`
    try {
      createFile(`${dir}/${name}`, output, 0o600, false)
      return name
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

function namesIn(dir: string): string[] {
  const age = (name: string) => Number(name.slice('cmd-'.length, -'.txt'.length))
  const names = readdirSync(dir).filter((name) => OUTPUT_NAME.test(name))
  return names.sort((a, b) => age(a) - age(b))
}

function readOutput(dir: string, name: string): Buffer | undefined {
  try {
    return readWhole(`${dir}/${name}`)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
