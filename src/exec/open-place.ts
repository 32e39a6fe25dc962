import { realpathSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import type { ExecOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { findGit } from '../os/git.js'
import { mountsBelow } from '../os/read.js'
import type { Policy } from '../policy/index.js'
import { openCopy, openSandbox, type Place, probe } from '../terminal/index.js'

type Isolation = ExecOptions['isolation']
type Rules = Pick<Policy, 'settings'>

/**
 * Opens a place to run commands in: contained, or a copy of the workspace if this machine cannot contain commands.
 * @throws EscrowError `unsupported` if it cannot and neither policy nor the caller allows a copy.
 */
export async function openPlace(root: string, policy: Rules, isolation?: Isolation): Promise<Place> {
  const lacking = (await probe()).find(({ ok }) => !ok) ?? nestedMount(root)
  if (lacking === undefined) return openSandbox(root, outsideGitDir(root))
  const problem = `This machine cannot contain commands (${lacking.name}): ${lacking.problem}`
  assertUncontainedAllowed(policy, isolation, problem, lacking.fix)
  return openCopy(root)
}

/**
 * The directory of the repository if it is outside the workspace, as in a linked worktree, a submodule, or a workspace below the
 * repository's top. A `.git` file of the workspace counts only if that directory names it too.
 */
function outsideGitDir(root: string): string | undefined {
  const found = findGit(root)
  const dir = found && realpathSync(found.common)
  return dir === undefined || isWithin(dir, root) || isWithin(root, dir) ? undefined : dir
}

/** A file system mounted below the workspace hides files of the workspace: overlayfs shows only the files under it. */
function nestedMount(root: string) {
  const [mount] = mountsBelow(root)
  if (mount === undefined) return undefined
  const problem = `${mount} is a separate mount inside the workspace.`
  return { name: 'mounts', problem, fix: `Mount it outside ${root}, and link to it.` }
}

/** A command runs without containment only if policy or the caller allows it. */
export function assertUncontainedAllowed(policy: Rules, isolation: Isolation, problem: string, fix?: string): void {
  if (isolation === 'none' || policy.settings()?.isolationNone === true) return
  const toFix = fix === undefined ? '' : `To fix it: ${fix} `
  throw new EscrowError('unsupported', problem, {
    hint: `${toFix}To run commands on a copy, without containment, write \`terminal: { isolation_none: true }\` into policy.yaml.`,
  })
}
