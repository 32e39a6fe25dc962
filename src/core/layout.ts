import { join } from 'node:path'

/** Where everything of ours lies under a workspace's `.orchestration/`. Absolute paths. */
export interface Layout {
  readonly root: string
  readonly dir: string
  readonly intentsFile: string
  /** Intents' templates, each a file of its own. */
  readonly templates: string
  readonly policyFile: string
  readonly intentMap: string
  readonly ledgerFile: string
  readonly ledgerDir: string
  readonly sessions: string
  readonly tx: string
  readonly commits: string
  readonly locks: string
  readonly gitignore: string
  readonly gitattributes: string
  session(id: string): SessionLayout
}

export interface SessionLayout {
  readonly dir: string
  readonly owner: string
  readonly stageLog: string
  readonly pack: string
  readonly review: string
  /** Contents that reviewers' edits and merges put in place of others. */
  readonly edits: string
  /** What commands did and the stage did not take. */
  readonly quarantine: string
  /** Long outputs of commands. */
  readonly outputs: string
  readonly meta: string
  readonly claim: string
}

export const ORCHESTRATION = '.orchestration'

/** Names under `.orchestration/` that git ignores and agents do not see. */
export const PRIVATE_NAMES = ['sessions', 'tx', 'commits', 'ledger.d', 'locks'] as const

export function layoutOf(root: string): Layout {
  const dir = join(root, ORCHESTRATION)
  return {
    root,
    dir,
    intentsFile: join(dir, 'active_intents.yaml'),
    templates: join(dir, 'templates'),
    policyFile: join(dir, 'policy.yaml'),
    intentMap: join(dir, 'intent_map.md'),
    ledgerFile: join(dir, 'agent_trace.jsonl'),
    ledgerDir: join(dir, 'ledger.d'),
    sessions: join(dir, 'sessions'),
    tx: join(dir, 'tx'),
    commits: join(dir, 'commits'),
    locks: join(dir, 'locks'),
    gitignore: join(dir, '.gitignore'),
    gitattributes: join(dir, '.gitattributes'),
    session(id) {
      const own = join(dir, 'sessions', id)
      return {
        dir: own,
        owner: join(own, 'owner'),
        stageLog: join(own, 'stage.log'),
        pack: join(own, 'pack'),
        review: join(own, 'review.jsonl'),
        edits: join(own, 'edits'),
        quarantine: join(own, 'quarantine'),
        outputs: join(own, 'outputs'),
        meta: join(own, 'meta.json'),
        claim: join(own, 'claim.json'),
      }
    },
  }
}
