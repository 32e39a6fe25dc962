import { type StagedChange, sha256hex } from '../../overlay/index.js'
import { treeDigest } from '../commit/index.js'
import type { CheckedSelection, CheckOptions, CheckReport } from '../core/api.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import type { Reviewer } from '../core/people.js'
import type { RegistryStore } from '../intents/index.js'
import type { Policy } from '../policy/index.js'
import type { ReviewLog } from '../review/index.js'
import type { StageStore } from '../stage/index.js'
import { type LedgerStore, newDraft } from '../trace/index.js'
import { type ApplicableCheck, applicableChecks } from './applicable.js'
import { runCheck } from './check-run.js'
import { openEvidence, type StoredEvidence, statusOf } from './evidence.js'
import { scratchStage } from './scratch-stage.js'
import { assertCheckable, selectChanges } from './selection.js'

/** A session whose changes are checked. */
export interface CheckedSession {
  readonly layout: Layout
  readonly sessionId: string
  readonly log: ReviewLog
  readonly ledger: Pick<LedgerStore, 'append'>
  readonly intents: Pick<RegistryStore, 'state'>
  readonly policy: Policy
  /** The stage now, without what was committed. */
  stage(): Promise<StageStore>
  /** The person who asks where nobody is named. */
  reviewer(): Reviewer
}

/** The changes that a commit would write, and the digest by which evidence names them. */
export interface ApprovedTree {
  readonly changes: readonly StagedChange[]
  readonly tree: string
}

/** The checks of one session: `checks` returns their states, `check` runs them. */
export function acceptanceOf(session: CheckedSession) {
  const { layout, sessionId, log, intents } = session
  const evidence = openEvidence(layout.session(sessionId).checks, layout.locks, sessionId)
  const find = async (wanted?: CheckedSelection) => {
    const selected = selectChanges(await session.stage(), log, wanted)
    return { selected, tree: treeDigest(selected), checks: applicableChecks(intents.state(), selected.changes) }
  }

  async function checks(wanted?: CheckedSelection): Promise<CheckReport> {
    // A screen asks often, and mostly there are no checks: then nothing is read.
    const state = intents.state()
    if (state.ok && [...state.intents.values()].every((intent) => intent.checks.length === 0))
      return { selection: wanted ?? 'all', tree: '', checks: [] }
    const { selected, tree, checks } = await find(wanted)
    const runs = checks.length === 0 ? [] : evidence.read()
    return { selection: selected.selection, tree, checks: checks.map((each) => statusOf(each, tree, runs)) }
  }

  async function check(options: CheckOptions = {}): Promise<CheckReport> {
    const { selected, tree, checks: wanted } = await find(options.selection)
    assertCheckable(selected)
    const runs: StoredEvidence[] = []
    if (wanted.length > 0) {
      // A damaged file is reported before any check runs.
      evidence.read()
      const overlay = scratchStage(layout.root, selected.entries)
      for (const each of wanted) {
        options.onStart?.(each.check, each.intentId)
        const place = { root: layout.root, sessionId, intentId: each.intentId, policy: session.policy, overlay }
        const outcome = await runCheck(place, each.check, options)
        const run: StoredEvidence = {
          id: newId(),
          ...each,
          ...outcome,
          tree,
          at: new Date().toISOString(),
          askedBy: options.agent === undefined ? { person: personOf(options, session) } : { session: options.agent },
        }
        // The evidence follows, so a run that is missing from the ledger never counts.
        await record(session, run)
        await evidence.add(run)
        runs.push(run)
      }
    }
    // Another run of the same checks may have ended since: this report is about these.
    return { selection: selected.selection, tree, checks: wanted.map((each) => statusOf(each, tree, runs)) }
  }

  /** The changes that a commit would write now, and their digest. */
  async function approved(): Promise<ApprovedTree> {
    const selected = selectChanges(await session.stage(), log, 'approved')
    return { changes: selected.changes, tree: treeDigest(selected) }
  }

  return { checks, check, approved }
}

function personOf({ by }: CheckOptions, session: CheckedSession): Reviewer {
  return by ?? session.reviewer()
}

async function record({ ledger, sessionId }: CheckedSession, run: StoredEvidence & ApplicableCheck): Promise<void> {
  const { id, intentId, check, exitCode, ended, duration, output, tree, isolation, tools, askedBy } = run
  await ledger.append([
    newDraft({
      type: 'check',
      intent: intentId,
      session: sessionId,
      ...('person' in askedBy && { reviewer: askedBy.person }),
      data: {
        check: id,
        command: check.run,
        exit_code: exitCode,
        ...defined({ ended }),
        duration,
        // The text stays on this machine: people share the ledger.
        output: `sha256:${sha256hex(output)}`,
        tree,
        isolation,
        tools: Object.entries(tools).map(([name, version]) => `${name} ${version}`),
        ...(check.network !== undefined && { hosts: [...check.network] }),
      },
    }),
  ])
}
