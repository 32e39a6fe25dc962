import { realpathSync, statSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { personalState } from '../os/personal-state.js'
import { layoutAt } from '../os/workspace-state.js'
import { openPolicyFile } from '../policy/index.js'
import { isReviewerKey, makeSigningKey as makeOwnKey, makeReviewerKey as makeTrustedKey } from '../trace/index.js'

/** Set for every command of a session, and so for an agent that is one. */
const INSIDE = 'ESCROW_SESSION'
/** Names a reviewer's key, where nobody sits at a terminal. */
const KEY = 'ESCROW_REVIEWER_KEY'

/** @throws EscrowError `access_denied` where this process was started by an agent's session: its work is for others to judge. */
export function refuseInside(env: NodeJS.ProcessEnv = process.env): void {
  const session = env[INSIDE]
  if (!session) return
  throw new EscrowError(
    'access_denied',
    `An agent cannot decide about its own work. This command runs inside session ${session}.`,
    {
      hint: `Run it in a terminal outside the session, where ${INSIDE} is not set.`,
    },
  )
}

/**
 * Whether who gives a command may begin an agent's work: not where that is under way, as what is begun there is of the same session already.
 * @throws EscrowError `access_denied` where this process was started by an agent's session
 */
export function admitAgent(env: NodeJS.ProcessEnv = process.env): void {
  const session = env[INSIDE]
  if (!session) return
  throw new EscrowError(
    'access_denied',
    `This command already runs inside session ${session}, and an agent works in one session only.`,
    { hint: 'Run the program directly. Its changes here are staged already.' },
  )
}

/** A call of the person's side: refused inside of a session. */
export function outside<A extends unknown[], R>(work: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    refuseInside()
    return work(...args)
  }
}

export interface AdmitOptions {
  /** A terminal is where the words come from. */
  readonly terminal: boolean
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Whether who gives a command may decide: not an agent's session, and where policy says `approval: { by: person }`, or
 * cannot be read, a person at a terminal, or who holds a reviewer's key.
 * @throws EscrowError `access_denied`; `policy_invalid` where nobody can say what policy wants
 */
export function admitReviewer(root: string, { terminal, env = process.env }: AdmitOptions): void {
  refuseInside(env)
  const layout = layoutAt(realpathSync(root))
  const policy = openPolicyFile(layout)()
  if (terminal || (policy.ok && policy.rules.settings.approvedBy !== 'person')) return
  const key = env[KEY]
  if ((key === undefined || key === '') && !policy.ok)
    throw new EscrowError('policy_invalid', policy.message, {
      hint: 'Until it is corrected, run the command in a terminal.',
    })
  if (key === undefined || key === '')
    throw new EscrowError(
      'access_denied',
      'Policy requires a person for this (approval.by), and there is no terminal.',
      {
        hint: `Run it in a terminal, or set ${KEY} to a key from 'escrow keys --reviewer'.`,
      },
    )
  refuseBadKey(key, layout.root)
}

function refuseBadKey(key: string, root: string): void {
  const problem = keyProblem(key, root)
  if (problem !== undefined)
    throw new EscrowError('access_denied', `The key in ${KEY} may not decide: ${key} ${problem}.`, {
      hint: "'escrow keys --reviewer' creates one, and prints where to trust its public half.",
    })
}

/**
 * Whether who gives a command may accept the files of a workspace for this machine: never an agent's session; a person at
 * a terminal, or who holds a reviewer's key. A machine that has accepted nothing yet, as in CI, may name the digest.
 * @throws EscrowError `access_denied`
 */
export function admitTruster(
  root: string,
  { terminal, env = process.env }: AdmitOptions,
  isFirstByDigest: boolean,
): void {
  refuseInside(env)
  if (terminal || isFirstByDigest) return
  const key = env[KEY]
  if (key === undefined || key === '')
    throw new EscrowError('access_denied', 'Only a person can accept these files, and there is no terminal.', {
      hint: `Run it in a terminal, or set ${KEY}. On a new machine, such as CI: 'escrow trust --trust-digest sha256:…'.`,
    })
  refuseBadKey(key, layoutAt(realpathSync(root)).root)
}

/** Makes this user's reviewer's key, unless there is one. Who has it decides, so it is made where a person is. */
export function makeReviewerKey(): ReturnType<typeof makeTrustedKey> {
  refuseInside()
  personalState()
  return makeTrustedKey()
}

/**
 * Makes the key of this user by which checkpoints are signed, unless there is one. Others' public keys can be put beside it, as
 * `NAME.pub.pem`.
 * @throws EscrowError `access_denied` where the state directory lies in a workspace
 */
export function makeSigningKey(): ReturnType<typeof makeOwnKey> {
  personalState()
  return makeOwnKey()
}

function keyProblem(file: string, root: string): string | undefined {
  try {
    if (isWithin(realpathSync(file), root)) return 'is in the workspace, where agents can read it'
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      return 'is readable by other users (chmod 600)'
    return isReviewerKey(file) ? undefined : 'is not trusted on this machine'
  } catch (error) {
    return `cannot be read (${errorText(error)})`
  }
}
