import { realpathSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import type { ExecOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import {
  type ContainmentFailure,
  type ContainmentInfo,
  DEFAULT_REQUIRED,
  firstToFix,
  nameOfContainment,
  type Protection,
  type TriedContainment,
} from '../core/protection.js'
import { findGit } from '../os/git.js'
import type { Policy } from '../policy/index.js'
import { forgetContainment, openContained, openUncontained, type Place } from '../terminal/index.js'

type Isolation = ExecOptions['isolation']
type Rules = Pick<Policy, 'settings'>

/** A place for commands, and its containment. */
export interface OpenedPlace {
  readonly place: Place
  /** Undefined for a copy without containment. */
  readonly containment: ContainmentInfo | undefined
}

/** The requirements of a command for its place. */
export interface PlaceRequest {
  readonly isolation?: Isolation | undefined
  /** Its network. A list of hosts requires a containment that can allow some hosts alone. */
  readonly network?: boolean | readonly string[] | undefined
}

/**
 * Opens a place to run commands in: the best containment of this machine that keeps what policy requires, or a copy of the workspace if
 * there is none.
 * @throws EscrowError `unsupported` if there is none, and neither policy nor the caller allows a copy; `limit_exceeded` if the machine
 * lacked processes, memory, files or space at that moment.
 */
export async function openPlace(
  root: string,
  policy: Rules,
  { isolation, network }: PlaceRequest = {},
): Promise<OpenedPlace> {
  const required = requiredFor(policy, network)
  const opened = await openContained({ root, gitDir: outsideGitDir(root) }, required)
  if (opened.place !== undefined) return opened
  const { what, problem, fix, isShortage } = firstToFix(opened.failures) ?? unkept(required, opened.lacking)
  // An agent could use up the processes to run its next command without containment.
  if (isShortage)
    throw new EscrowError('limit_exceeded', `Commands cannot be contained at the moment (${what}): ${problem}`, {
      hint: fix,
    })
  assertUncontainedAllowed(policy, isolation, `This machine cannot contain commands (${what}): ${problem}`, fix)
  return { place: await openUncontained(root), containment: undefined }
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

/** Runs a command in a place. */
export async function runIn({ place, containment }: OpenedPlace, options: RunOptions): ReturnType<Place['run']> {
  try {
    return await place.run(options)
  } catch (error) {
    // The machine may have changed since it was tried: the next command tries it again.
    if (containment !== undefined) await forgetContainment(containment.name)
    throw error
  }
}

type RunOptions = Parameters<Place['run']>[0]

/** Whether a containment has the protections that policy and a command require now. */
export function keepsRequired(
  containment: ContainmentInfo | undefined,
  policy: Rules,
  { network }: PlaceRequest,
): boolean {
  return containment === undefined || requiredFor(policy, network).every((each) => containment.keeps.includes(each))
}

/** The protections that a command's containment must have. An unreadable policy requires the same as one without the setting. */
function requiredFor(policy: Rules, network: PlaceRequest['network']): readonly Protection[] {
  const required = policy.settings()?.require ?? DEFAULT_REQUIRED
  return typeof network === 'object' ? [...new Set([...required, 'network_by_host' as const])] : required
}

type Lacking = Pick<TriedContainment, 'name' | 'caution' | 'lacks'>

/** No provider keeps all that is required. */
function unkept(required: readonly Protection[], lacking: readonly Lacking[]): ContainmentFailure {
  const lacks = lacking.map((each) => ` ${nameOfContainment(each)} lacks ${each.lacks.join(', ')}.`)
  const problem = `No containment that escrow has keeps all of these: ${required.join(', ')}.${lacks.join('')}`
  return {
    what: 'required protections',
    problem,
    fix: 'Require fewer of them: `terminal: { require: [ … ] }` in policy.yaml.',
  }
}

/** A command runs without containment only if policy or the caller allows it. */
export function assertUncontainedAllowed(policy: Rules, isolation: Isolation, problem: string, fix?: string): void {
  if (isolation === 'none' || policy.settings()?.isolationNone === true) return
  const toFix = fix === undefined ? '' : `To fix it: ${fix} `
  throw new EscrowError('unsupported', problem, {
    hint: `${toFix}To run commands on a copy, without containment, write \`terminal: { isolation_none: true }\` into policy.yaml.`,
  })
}
