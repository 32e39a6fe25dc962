import picocolors from 'picocolors'
import type { Context } from '../../src/cli/context.js'

const refuse = (): never => {
  throw new Error('A command that is only described runs nothing.')
}

/** A context for commands that are registered and never run. */
export const inertContext: Context = {
  io: { out: refuse, err: refuse, cwd: '/', terminal: false, color: false, version: '1' },
  page: refuse,
  directory: refuse,
  root: refuse,
  library: refuse,
  withWorkspace: refuse,
  asAgent: refuse,
  asReviewer: refuse,
  buildFullProgram: refuse,
  exit: refuse,
  argv: [],
  colors: picocolors.createColors(false),
}
