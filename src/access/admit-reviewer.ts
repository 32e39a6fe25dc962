import { realpathSync, statSync } from 'node:fs'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { personalState } from '../os/personal-state.js'
import { layoutAt } from '../os/workspace-state.js'
import { openPolicyFile } from '../policy/index.js'
import { isReviewerKey, makeSigningKey as makeOwnKey, makeReviewerKey as makeTrustedKey } from '../trace/index.js'

/** Set for every command of a session, including an agent that runs as one. */
const SESSION_VARIABLE = 'ESCROW_SESSION'
/** Names a reviewer's key file, for processes without a terminal. */
const KEY_VARIABLE = 'ESCROW_REVIEWER_KEY'

/** The agent's session that started this process; undefined outside of one. */
export function enclosingSession(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return env[SESSION_VARIABLE] || undefined
}

/** @throws EscrowError `access_denied` if an agent's session started this process: others judge its work. */
export function assertOutsideSession(env: NodeJS.ProcessEnv = process.env): void {
  const session = env[SESSION_VARIABLE]
  if (!session) return
  throw new EscrowError(
    'access_denied',
    `An agent cannot decide about its own work. This command runs inside session ${session}.`,
    {
      hint: `Run it in a terminal outside the session, where ${SESSION_VARIABLE} is not set.`,
    },
  )
}

/**
 * Refuses to start an agent's work inside of a session: the work there belongs to that session already.
 * @throws EscrowError `access_denied` if an agent's session started this process
 */
export function admitAgent(env: NodeJS.ProcessEnv = process.env): void {
  const session = env[SESSION_VARIABLE]
  if (!session) return
  throw new EscrowError(
    'access_denied',
    `This command already runs inside session ${session}, and an agent works in one session only.`,
    { hint: 'Run the program directly. Its changes here are staged already.' },
  )
}

/** Wraps a method that only people may call: inside of a session it rejects with `access_denied`. */
export function requireOutsideSession<A extends unknown[], R>(
  work: (...args: A) => Promise<R>,
): (...args: A) => Promise<R> {
  return async (...args) => {
    assertOutsideSession()
    return work(...args)
  }
}

export interface AdmitOptions {
  /** Whether a person types the command at a terminal. */
  readonly terminal: boolean
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Refuses a decision by an agent's session. Where policy says `approval: { by: person }`, or cannot be read, it also refuses
 * everyone but a person at a terminal and a process with a trusted reviewer's key.
 * @throws EscrowError `access_denied`; `policy_invalid` if policy cannot be read and there is neither terminal nor key
 */
export function admitReviewer(root: string, { terminal, env = process.env }: AdmitOptions): void {
  assertOutsideSession(env)
  const layout = layoutAt(realpathSync(root))
  const policy = openPolicyFile(layout)()
  if (terminal || (policy.ok && policy.rules.settings.approvedBy !== 'person')) return
  const key = env[KEY_VARIABLE]
  if ((key === undefined || key === '') && !policy.ok)
    throw new EscrowError('policy_invalid', policy.message, {
      hint: 'Until it is corrected, run the command in a terminal.',
    })
  if (key === undefined || key === '')
    throw new EscrowError(
      'access_denied',
      'Policy requires a person for this (approval.by), and there is no terminal.',
      {
        hint: `Run it in a terminal, or set ${KEY_VARIABLE} to a key from 'escrow keys --reviewer'.`,
      },
    )
  assertTrustedKey(key, layout.root)
}

function assertTrustedKey(key: string, root: string): void {
  const problem = keyProblem(key, root)
  if (problem !== undefined)
    throw new EscrowError('access_denied', `The key in ${KEY_VARIABLE} may not decide: ${key} ${problem}.`, {
      hint: "'escrow keys --reviewer' creates one, and prints where to trust its public half.",
    })
}

/**
 * Refuses to accept the files of a workspace for this machine, except for a person at a terminal or with a reviewer's key.
 * A machine that has accepted nothing yet, as in CI, may pass the digest instead. An agent's session never may.
 * @throws EscrowError `access_denied`
 */
export function admitTruster(
  root: string,
  { terminal, env = process.env }: AdmitOptions,
  isFirstByDigest: boolean,
): void {
  assertOutsideSession(env)
  if (terminal || isFirstByDigest) return
  const key = env[KEY_VARIABLE]
  if (key === undefined || key === '')
    throw new EscrowError('access_denied', 'Only a person can accept these files, and there is no terminal.', {
      hint: `Run it in a terminal, or set ${KEY_VARIABLE}. On a new machine, such as CI: 'escrow trust --trust-digest sha256:…'.`,
    })
  assertTrustedKey(key, layoutAt(realpathSync(root)).root)
}

/**
 * Refuses to change the machine itself, except for a person at a terminal or, in a workspace, with a reviewer's key.
 * @param root undefined outside a workspace
 * @throws EscrowError `access_denied`
 */
export function admitPerson(root: string | undefined, { terminal, env = process.env }: AdmitOptions): void {
  assertOutsideSession(env)
  if (terminal) return
  const key = env[KEY_VARIABLE]
  if (key === undefined || key === '' || root === undefined)
    throw new EscrowError('access_denied', 'Only a person can change this machine, and there is no terminal.', {
      hint: `Run it in a terminal; in a workspace, ${KEY_VARIABLE} may name a key from 'escrow keys --reviewer' instead.`,
    })
  assertTrustedKey(key, layoutAt(realpathSync(root)).root)
}

/** Creates this user's reviewer's key, unless there is one. Its holder can decide, so an agent's session is refused. */
export function makeReviewerKey(): ReturnType<typeof makeTrustedKey> {
  assertOutsideSession()
  personalState()
  return makeTrustedKey()
}

/**
 * Creates the key that signs this user's checkpoints, unless there is one. Public keys of others can be put next to it, as
 * `NAME.pub.pem`.
 * @throws EscrowError `access_denied` if the state directory is in a workspace
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
