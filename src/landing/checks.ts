import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Overlay, openLower, Stage } from '../../overlay/index.js'
import { type ApplicableCheck, applicableChecks, runCheck } from '../acceptance/index.js'
import { EscrowError } from '../core/api-error.js'
import type { IntentsState } from '../core/intents-state.js'
import type { Landing, LandingCheck } from '../hub/index.js'
import { parseIntents } from '../intents/index.js'
import { layoutAt } from '../os/workspace-state.js'
import { makeTempDir, removeTree } from '../os/write.js'
import { createPolicy, openPolicyFile } from '../policy/index.js'
import type { BranchTree } from './branch-tree.js'
import type { Clone } from './clone.js'

const INTENTS_FILE = '.orchestration/active_intents.yaml'
/** The name of the operator's checks, in place of an intent's id. */
const OPERATOR = 'repository'

/** A check that did not succeed. */
export interface FailedCheck {
  readonly run: string
  /** How it ended, as the rest of a sentence. */
  readonly how: string
  /** The output, with secrets masked. */
  readonly output: string
}

/**
 * Returns the checks that must succeed before landings: the operator's, and those of the landings' intents as the
 * branch has them.
 */
export function checksFor(
  clone: Clone,
  tree: BranchTree,
  operator: readonly LandingCheck[],
  landings: readonly Landing[],
): { readonly state: IntentsState; readonly checks: readonly ApplicableCheck[] } {
  const state = intentsOf(clone, tree)
  const changes = landings.flatMap((landing) =>
    landing.changes.map(({ path, from, intent }) => ({ path, from, intentId: intent })),
  )
  const operatorChecks = operator.map(({ run, timeout }, index) => ({
    intentId: OPERATOR,
    index,
    check: { run, ...(timeout !== undefined && { timeout }) },
  }))
  const all = [...operatorChecks, ...applicableChecks(state, changes)]
  return { state, checks: all.filter((each, at) => all.findIndex((other) => isSameCheck(each, other)) === at) }
}

function isSameCheck(one: ApplicableCheck, other: ApplicableCheck): boolean {
  return isDeepStrictEqual(one.check, other.check)
}

/** The intents of the branch. No landing changes this file, so people have pushed its content. */
function intentsOf(clone: Clone, tree: BranchTree): IntentsState {
  const entry = tree.get(INTENTS_FILE)
  if (entry === undefined) return { ok: true, version: 0, intents: new Map() }
  return parseIntents({ kind: 'bytes', bytes: Buffer.from(clone.read(entry.id)) }, 0).state
}

/**
 * Runs checks contained, in the workspace's directory of a commit that is checked out for them.
 * @returns the first that fails
 */
export async function runChecks(
  clone: Clone,
  directory: string,
  commit: string,
  { state, checks }: ReturnType<typeof checksFor>,
  signal: AbortSignal,
): Promise<FailedCheck | undefined> {
  if (checks.length === 0) return undefined
  const dir = makeTempDir(join(tmpdir(), 'escrow-landing-'))
  try {
    const root = clone.checkOut(commit, dir)
    const cwd = join(root, directory)
    const policy = createPolicy({
      intents: () => state,
      activeIntentId: () => undefined,
      policy: openPolicyFile(layoutAt(cwd)),
      base: () => 'fresh',
    })
    for (const { intentId, check } of checks) {
      const overlay = new Overlay({ lower: openLower(root), stage: new Stage() })
      const place = { root, cwd, sessionId: 'landing', intentId, policy, overlay }
      const { exitCode, ended, output, isolation } = await runCheck(place, check, { signal })
      if (isolation === 'none')
        throw new EscrowError('unsupported', 'This machine cannot contain commands, so no check may run on it.')
      if (exitCode !== 0 || ended !== undefined)
        return { run: check.run, how: ended === undefined ? `exit code ${exitCode}` : `it ran into: ${ended}`, output }
    }
    return undefined
  } finally {
    removeTree(dir)
  }
}
