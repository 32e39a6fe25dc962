import { join } from 'node:path'

/**
 * The paths of a workspace's files. There are two directories:
 *
 * - `.orchestration/` in the workspace holds the files that people share by git. It may come with a clone, so its content has no
 *   authority.
 * - The state directory, outside the workspace, holds the records and decisions of this machine. It cannot come with a clone or copy.
 */
export interface Layout {
  /** The workspace's root, as an absolute, physical path. */
  readonly root: string
  /** `.orchestration` in the root. */
  readonly dir: string
  readonly intentsFile: SharedFile
  /** The directory of intent templates, one file each. */
  readonly templates: SharedFile
  readonly policyFile: SharedFile
  /** `.intentignore`, at the root and in `.orchestration/`. */
  readonly ignoreFiles: readonly SharedFile[]
  readonly intentMap: SharedFile
  readonly ledgerFile: SharedFile
  readonly gitignore: SharedFile
  readonly gitattributes: SharedFile
  /**
   * New and replaced contents of commits. They must be on the workspace's file system, so that a rename can put them in place.
   * Content that no plan in {@link commits} names is ignored.
   */
  readonly tx: string
  /** The state directory of this workspace. Everything below is in it. */
  readonly state: string
  readonly ledgerDir: string
  readonly sessions: string
  /** Published plans of commits. */
  readonly commits: string
  /** The list of transaction directories, and unpublished plans. */
  readonly attempts: string
  readonly locks: string
  /** Sessions that are being removed. */
  readonly removed: string
  /** The layers with the changes that contained clients make in the home directory. */
  readonly clients: string
  /** The cache of measured mutation classes. */
  readonly classes: string
  /** The cache of findings about changed files. */
  readonly findings: string
  /** The policy, intents and templates that a person has accepted. */
  readonly trustFile: string
  session(id: string): SessionLayout
}

export interface SessionLayout {
  readonly dir: string
  readonly owner: string
  readonly stageLog: string
  readonly pack: string
  readonly review: string
  /** The evidence of checks. */
  readonly checks: string
  /** The changes that each reviewer saw when they last closed the review. */
  readonly looks: string
  /** The contents of reviewers' edits and merges. */
  readonly edits: string
  /** The refused effects of commands. */
  readonly quarantine: string
  /** Long outputs of commands. */
  readonly outputs: string
  /** The changes that its commands made in the repository's `.git`. */
  readonly git: string
  readonly meta: string
  readonly claim: string
  /** A file with the path of its owner's socket, while there is one. */
  readonly socketFile: string
}

/**
 * A file of escrowfs that people share by git, so anybody may have created it. It is not a string, so that only
 * `os/shared-files.ts` can open it, without following links.
 */
export class SharedFile {
  constructor(
    readonly root: string,
    /** Relative to the root, with `/`. */
    readonly name: string,
  ) {}

  /** Returns the absolute path, for messages. */
  toString(): string {
    return join(this.root, this.name)
  }
}

export const ORCHESTRATION = '.orchestration'
/** The path of the ledger in a workspace. */
export const LEDGER = `${ORCHESTRATION}/agent_trace.jsonl`

/** Names in `.orchestration/` that git ignores and agents cannot see. All but `tx` are from earlier versions. */
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
    removed: join(state, 'removed'),
    clients: join(state, 'clients'),
    classes: join(state, 'classes.jsonl'),
    findings: join(state, 'findings.jsonl'),
    trustFile: join(state, 'trust.json'),
    session(id) {
      // Called several times for each session, and `join` would be most of its time.
      const sessionDir = join(state, 'sessions', id)
      return {
        dir: sessionDir,
        owner: `${sessionDir}/owner`,
        stageLog: `${sessionDir}/stage.log`,
        pack: `${sessionDir}/pack`,
        review: `${sessionDir}/review.jsonl`,
        checks: `${sessionDir}/checks.json`,
        looks: `${sessionDir}/looks.json`,
        edits: `${sessionDir}/edits`,
        quarantine: `${sessionDir}/quarantine`,
        outputs: `${sessionDir}/outputs`,
        git: `${sessionDir}/git`,
        meta: `${sessionDir}/meta.json`,
        claim: `${sessionDir}/claim.json`,
        socketFile: `${sessionDir}/door`,
      }
    },
  }
}
