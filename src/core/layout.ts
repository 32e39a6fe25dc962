import { join } from 'node:path'

/**
 * Where the files of a workspace lie. There are two places:
 *
 * - `.orchestration/` in the workspace holds what people share by git. A clone brings it, so it is data, never authority.
 * - The state directory, outside of the workspace, holds what this person's machine did and decided. No clone or copy
 *   brings it.
 */
export interface Layout {
  /** The workspace's root: an absolute, physical path. */
  readonly root: string
  /** `.orchestration` in the root. */
  readonly dir: string
  readonly intentsFile: SharedFile
  /** Intents' templates, each a file of its own. */
  readonly templates: SharedFile
  readonly policyFile: SharedFile
  /** `.intentignore`, at the root and in `.orchestration/`. */
  readonly ignoreFiles: readonly SharedFile[]
  readonly intentMap: SharedFile
  readonly ledgerFile: SharedFile
  readonly gitignore: SharedFile
  readonly gitattributes: SharedFile
  /**
   * New and replaced contents of commits: they must lie on the workspace's own file system to be renamed into place. What
   * is in it means nothing unless a plan in {@link commits} names it.
   */
  readonly tx: string
  /** The state directory of this workspace. Everything below is in it. */
  readonly state: string
  readonly ledgerDir: string
  readonly sessions: string
  /** Published plans of commits. */
  readonly commits: string
  /** Which transaction directories there are, and plans that are not published. */
  readonly attempts: string
  readonly locks: string
  /** What clients that ran here keep of their state in the home directory. */
  readonly clients: string
  /** Classes of changes that were measured: a cache. */
  readonly classes: string
  /** The policy, intents and templates a person has accepted. */
  readonly trustFile: string
  session(id: string): SessionLayout
}

export interface SessionLayout {
  readonly dir: string
  readonly owner: string
  readonly stageLog: string
  readonly pack: string
  readonly review: string
  /** What the runs of checks have shown. */
  readonly checks: string
  /** What each reviewer saw when they last left the review. */
  readonly looks: string
  /** Contents that reviewers' edits and merges put in place of others. */
  readonly edits: string
  /** What commands did and the stage did not take. */
  readonly quarantine: string
  /** Long outputs of commands. */
  readonly outputs: string
  readonly meta: string
  readonly claim: string
  /** Where its owner's socket is, while it has one. */
  readonly socketFile: string
}

/**
 * A file of ours that people share by git, so anybody may have made it. It is no string: only `os/shared-files.ts` can
 * open it, and does so without following a link.
 */
export class SharedFile {
  constructor(
    readonly root: string,
    /** Relative to the root, with `/`. */
    readonly name: string,
  ) {}

  /** The absolute path, for messages. */
  toString(): string {
    return join(this.root, this.name)
  }
}

export const ORCHESTRATION = '.orchestration'

/** Names under `.orchestration/` that git ignores and agents do not see. All but `tx` are of versions before 0.2. */
export const PRIVATE_NAMES = ['sessions', 'tx', 'commits', 'ledger.d', 'locks'] as const

/** @param state the state directory of the workspace, see `os/workspace-state.ts`. */
export function layoutOf(root: string, state: string): Layout {
  const sharedFile = (name: string) => new SharedFile(root, `${ORCHESTRATION}/${name}`)
  return {
    root,
    dir: join(root, ORCHESTRATION),
    intentsFile: sharedFile('active_intents.yaml'),
    templates: sharedFile('templates'),
    policyFile: sharedFile('policy.yaml'),
    ignoreFiles: [new SharedFile(root, '.intentignore'), sharedFile('.intentignore')],
    intentMap: sharedFile('intent_map.md'),
    ledgerFile: sharedFile('agent_trace.jsonl'),
    gitignore: sharedFile('.gitignore'),
    gitattributes: sharedFile('.gitattributes'),
    tx: join(root, ORCHESTRATION, 'tx'),
    state,
    ledgerDir: join(state, 'ledger.d'),
    sessions: join(state, 'sessions'),
    commits: join(state, 'commits'),
    attempts: join(state, 'attempts'),
    locks: join(state, 'locks'),
    clients: join(state, 'clients'),
    classes: join(state, 'classes.jsonl'),
    trustFile: join(state, 'trust.json'),
    session(id) {
      const own = join(state, 'sessions', id)
      return {
        dir: own,
        owner: join(own, 'owner'),
        stageLog: join(own, 'stage.log'),
        pack: join(own, 'pack'),
        review: join(own, 'review.jsonl'),
        checks: join(own, 'checks.json'),
        looks: join(own, 'looks.json'),
        edits: join(own, 'edits'),
        quarantine: join(own, 'quarantine'),
        outputs: join(own, 'outputs'),
        meta: join(own, 'meta.json'),
        claim: join(own, 'claim.json'),
        socketFile: join(own, 'door'),
      }
    },
  }
}
