import { diffStage, type StageDiff } from '../../overlay/index.js'
import { outside } from '../access/index.js'
import { fingerprint, settledLook } from '../commit/index.js'
import type { Review, Verdict } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { AgentInfo } from '../core/people.js'
import type { IntentVersions } from '../history/index.js'
import { gitUser } from '../host/git.js'
import type { RegistryStore } from '../intents/index.js'
import type { Policy, PolicyState } from '../policy/index.js'
import { createReview, QUESTION, type ReviewLog, type StageReview } from '../review/index.js'
import {
  beforeOf,
  classCache,
  createMutations,
  diskNow,
  flagsOf,
  measureApproved,
  type StageStore,
  snapshotsOf,
} from '../stage/index.js'
import { newDraft } from '../trace/index.js'
import { applyAnswer } from './apply-answer.js'
import { commitSession } from './commit-session.js'
import { consumeCommittedApprovals } from './consume-approvals.js'
import { type QuarantineDeps, quarantineOf } from './quarantine.js'

/** A session as its reviewers meet it, in whatever process. */
export interface Reviewed extends QuarantineDeps {
  readonly log: ReviewLog
  /** Its stage as it is now, all that was committed and reviewed taken in. */
  stage(): Promise<StageStore>
  /** A commit has landed: a session that is open in this process takes it in before its next call. */
  consumeCommitted(): Promise<void>
  agent(): AgentInfo | undefined
  readonly intents: RegistryStore
  readonly versions: IntentVersions
  readonly policyFile: () => PolicyState
  readonly policy: Policy
}

/** The person's side of a session, joined to its stage, the commits and the ledger. */
export async function reviewOf(of: Reviewed): Promise<Review> {
  const { layout, sessionId, log, ledger } = of
  const spend = consumeCommittedApprovals(layout, sessionId, log)
  await spend()
  const classes = classCache(layout)
  const mutations = createMutations(classes)
  let current: { readonly store: StageStore; readonly diff?: StageDiff } = { store: await of.stage() }
  const review = createReview({
    sessionId,
    root: layout.root,
    log,
    stage: async () => {
      const store = await of.stage()
      await spend()
      const diff = diffStage(store.overlay)
      current = { store, diff }
      return diff.changes
    },
    flags: (change) => flagsOf(of.policy, current.store, change),
    mutations: (changes) => mutations(current.store, changes),
    before: (change) => beforeOf(current.store, change),
    isStill: ({ path, from = path }) => {
      const look = settledLook(current.diff?.look(from))
      return look !== undefined && fingerprint(current.store.overlay.lower.lstatBig(from)) === fingerprint(look)
    },
    disk: (change) => diskNow(current.store, change),
    contents: () => current.store.contents,
    settledSeq: () => current.store.overlay.stage.settledSeq,
    reviewer: () => gitUser(layout.root),
    onVerdict: (verdict) => recordVerdict(of, verdict),
    snapshots: async () => snapshotsOf(await of.stage()),
    questionNotes: async () => (await of.stage()).queued(QUESTION),
    carryOut: (question, record) => applyAnswer(of, question, record),
    mergesUnasked: () => {
      const state = of.policyFile()
      return state.ok && state.rules.settings.mergesUnasked
    },
    commit: async (changes, options) => {
      await of.versions.look()
      const { policyFile: policy } = of
      const intents = () => of.intents.state()
      const deps = { layout, sessionId, agent: of.agent(), ledger, intents, policy, reviews: () => log.read() }
      const { store, diff = diffStage(store.overlay) } = current
      // It remembers how each name of the disk looked: true for this commit alone.
      current = { store }
      try {
        return await commitSession(deps, { store, diff }, changes, options)
      } finally {
        // What cannot be taken in now is taken in, or said, by the session's next call: the commit is done.
        await of.consumeCommitted().catch(() => undefined)
      }
    },
  })
  const approve: StageReview['approve'] = async (selection, by) => {
    const verdict = await review.approve(selection, by)
    const paths = new Set(verdict.paths)
    const { store, diff = diffStage(store.overlay) } = current
    const approved = diff.changes.filter(({ path }) => paths.has(path))
    await measureApproved(classes, store, approved)
    return verdict
  }
  return { ...personsOnly({ ...review, approve }), ...quarantineOf(of) }
}

/** What whoever is inside of a session may do: look. All else has to be named below, or it does not compile. */
type Looks = 'sessionId' | 'changes' | 'content' | 'snapshots' | 'questions'

function personsOnly(review: StageReview): StageReview {
  const deciding = {
    approve: outside(review.approve),
    reject: outside(review.reject),
    withdraw: outside(review.withdraw),
    split: outside(review.split),
    edit: outside(review.edit),
    commit: outside(review.commit),
    discard: outside(review.discard),
    answer: outside(review.answer),
  } satisfies Record<Exclude<keyof StageReview, Looks>, unknown>
  return { ...review, ...deciding }
}

async function recordVerdict({ sessionId, ledger }: Reviewed, verdict: Verdict): Promise<void> {
  const { verdict: word, paths, hunks, reason, by, id } = verdict
  await ledger.append([
    newDraft({
      type: 'verdict',
      intent: null,
      session: sessionId,
      verdict: word,
      paths,
      reviewer: by,
      ...defined({ words: reason }),
      data: { verdict_id: id, ...defined({ hunks }) },
    }),
  ])
}
