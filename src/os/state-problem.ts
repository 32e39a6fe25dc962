import { accessSync, constants } from 'node:fs'
import { errorText } from '../core/error-text.js'
import { stateDir } from './state-dir.js'
import { ensurePrivateDir } from './write.js'

/** What a person can do where escrow cannot write its state. */
export const OTHER_STATE_HOME = 'Set XDG_STATE_HOME, or HOME, to a directory of your own.'

/** Why this process cannot write to the state directory, and what a person can do; undefined if it can. Creates an absent one. */
export function stateProblem(): { name: string; ok: false; problem: string; fix: string } | undefined {
  const dir = stateDir()
  try {
    ensurePrivateDir(dir)
    accessSync(dir, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return { name: 'state directory', ok: false, problem: errorText(error), fix: OTHER_STATE_HOME }
  }
}
