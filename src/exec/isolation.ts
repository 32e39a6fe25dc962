import type { ExecOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { mountsBelow } from '../host/read.js'
import type { ExecDeps } from './admitted-command.js'

/** What is mounted in the workspace covers what a command would see and change there: the kernel lets nobody look below it. */
export function mountWithin(root: string) {
  const [mount] = mountsBelow(root)
  if (mount === undefined) return undefined
  const problem = `${mount} is a mount of its own in the workspace.`
  return { name: 'mounts', problem, mend: `mount it outside of ${root}, and link to it.` }
}

export type Isolation = ExecOptions['isolation']

/** Never in silence: by policy, or by the word of who runs the command. */
export function admitUncontained({ policy }: ExecDeps, isolation: Isolation, problem: string, mend?: string): void {
  if (isolation === 'none' || policy.settings()?.isolationNone === true) return
  throw new EscrowError('unsupported', problem, {
    hint: `${mend === undefined ? '' : `To mend it: ${mend} `}A person can let commands run on a copy, held in by nothing: \`terminal: { isolation_none: true }\`.`,
  })
}
