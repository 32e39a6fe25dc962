import { isWithin, type Overlay, type RelPath } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { ORCHESTRATION, PRIVATE_NAMES } from '../core/layout.js'
import type { HomeHost } from '../hosts/index.js'
import { type Policy, secretName } from '../policy/index.js'
import { closedByRules } from '../stage/index.js'
import { SecretNames, secretsIn, type Visibility, visibilityOf } from '../terminal/index.js'

/** The paths that the commands of a workspace may see, by policy. */
export class CommandView {
  readonly #secrets = new SecretNames((name) => secretName(name) !== undefined)

  constructor(
    private readonly root: string,
    private readonly policy: Policy,
  ) {}

  /**
   * The paths of a stage that a command may not read and does not see. A directory that this user may not read is one of them: a command
   * that gives itself access would see what nobody has searched for secrets.
   */
  closedPaths(overlay: Overlay, visibility: Visibility): RelPath[] {
    const { policy, root } = this
    const ours = PRIVATE_NAMES.map((name) => `${ORCHESTRATION}/${name}` as RelPath)
    const mayRead = (path: RelPath) => policy.decide({ effect: 'read', path, asked: path }).verdict !== 'deny'
    const unreadable: RelPath[] = []
    const closed = policy.mayClose()
      ? closedByRules(overlay, mayRead, unreadable)
      : this.#secrets.find(overlay, unreadable).filter((path) => !mayRead(path))
    return [...ours, ...closed, ...unreadable, ...secretsIn(root, visibility)]
  }

  /** The topmost paths of a stage whose names mark them as secret, readable or not. */
  secretPaths(overlay: Overlay): RelPath[] {
    return this.#secrets.find(overlay)
  }

  /** The paths outside the workspace that a command may see. Inside, each path is decided by itself. */
  outside(client?: HomeHost): Visibility {
    const { policy, root } = this
    const rules = policy.outside()
    if (!rules)
      throw new EscrowError(
        'policy_invalid',
        "No command runs until .orchestration/policy.yaml is valid. 'escrow status' says what is wrong.",
      )
    const beyond = rules.filter(({ path }) => !isWithin(path, root))
    const visibility = visibilityOf(
      beyond.map(({ path, word }) => ({ path, isClosed: word === 'deny' || word === 'hidden' })),
      client,
    )
    if (typeof visibility !== 'string') return visibility
    throw new EscrowError('access_denied', `Policy closes ${visibility} to agents, and every command needs it.`, {
      hint: 'In policy.yaml, write rules under `outside` for the subdirectories to close instead.',
    })
  }
}

/** The arguments that run a line in the system's shell. */
export function shellOf(command: string): string[] {
  if (process.platform === 'win32') return [process.env.ComSpec ?? 'cmd.exe', '/d', '/s', '/c', command]
  return ['/bin/sh', '-c', command]
}
