import { readdirSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { readWhole } from '../os/read.js'
import { layoutAt } from '../os/workspace-state.js'
import { createFile, ensurePrivateDir, removeName } from '../os/write.js'
import { syncState } from '../session/index.js'

/** Outputs of commands that are too long to be told at once, kept beside the session's stage. */
export interface CommandOutputs {
  /** Keeps one. @returns its name, `cmd-<milliseconds>.txt` */
  keep(output: Uint8Array): string
  /** Undefined where there is none by that name, or none any more. */
  read(name: string): Buffer | undefined
}

/** How many are kept; the oldest go first. */
const MAX_KEPT = 50
const NAME = /^cmd-\d{1,16}\.txt$/

/**
 * Where a session keeps long outputs of its commands.
 * @throws EscrowError `unsupported` for a session that `openWorkspace` did not make
 */
export function commandOutputs(session: Session): CommandOutputs {
  const dir = layoutAt(syncState(session).view.root).session(session.id).outputs
  return {
    keep(output) {
      ensurePrivateDir(dir)
      const name = create(dir, output)
      for (const old of namesIn(dir).slice(0, -MAX_KEPT)) removeName(`${dir}/${old}`)
      return name
    },
    read: (name) => (NAME.test(name) ? readIn(dir, name) : undefined),
  }
}

function create(dir: string, output: Uint8Array): string {
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
  const names = readdirSync(dir).filter((name) => NAME.test(name))
  return names.sort((a, b) => age(a) - age(b))
}

function readIn(dir: string, name: string): Buffer | undefined {
  try {
    return readWhole(`${dir}/${name}`)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
