import { asRelPath, memoizePerTick } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { SessionAdmission, SessionFormat, SessionTerminal } from '../exec/index.js'
import type { View } from '../fs/index.js'
import { SessionQuestions } from '../inbox/index.js'
import { createPolicy, type Policy } from '../policy/index.js'
import type { ReviewRecord } from '../review/index.js'
import { ContentLock, LedgerOutbox, openStage, ownStage, SeenFiles, type StageStore } from '../stage/index.js'
import { type DraftFields, openRefs, type TraceType } from '../trace/index.js'
import { SessionAgent } from './agent.js'
import { CallGate, CallRunner, SessionCalls } from './calls.js'
import type { SessionDeps } from './deps.js'
import { mergeDrifted } from './drift.js'
import { SessionFeedback } from './feedback.js'
import { type SyncState, sessionFs } from './governed-fs.js'
import { ledgerCheck, limitCheck, memoryCheck, repositoryCheck, SessionGuard } from './guard.js'
import { SessionIntent } from './intent.js'
import { SessionLimits, sizeOf } from './limits.js'
import { SessionSnapshots } from './snapshots.js'
import { newState, type SessionState } from './state.js'
import { sessionView } from './view.js'

/** The parts of a session. */
export interface SessionParts {
  readonly state: SessionState
  readonly store: StageStore
  readonly agent: SessionAgent
  readonly calls: SessionCalls
  readonly policy: Policy
  readonly outbox: LedgerOutbox
  readonly intent: SessionIntent
  readonly questions: SessionQuestions
  readonly feedback: SessionFeedback
  readonly snapshots: SessionSnapshots
  readonly view: View
  readonly runner: CallRunner
  readonly terminal: SessionTerminal
  readonly format: SessionFormat
  readonly fs: ReturnType<typeof sessionFs>
  /** Ingests commits and reviews of other processes into the stage, questions, feedback and limits. */
  readonly syncExternal: () => readonly ReviewRecord[]
  /** Throws EscrowError `session_busy` once the session is closed. */
  readonly assertOpen: () => void
  /** Appends a record of the session to the ledger. */
  readonly record: <T extends TraceType>(type: T, more: DraftFields<T>) => Promise<void>
}

/**
 * Builds a session in order: each part gets only finished parts. State that several parts share is in `state`.
 * @throws EscrowError `ledger_unavailable` for a stage that cannot be read; every file is closed then
 */
export function composeSession(deps: SessionDeps): SessionParts {
  const { id, layout, ledger, registry, reviews } = deps
  const state = newState()
  const calls = new SessionCalls(state)
  const tool = calls.current
  const policyFile = memoizePerTick(deps.policyFile)

  const opened = openStage(layout, id, deps)
  const seenFiles = new SeenFiles(opened.lower)
  const limits = new SessionLimits(sizeOf(opened.stage))
  const store = ownStage(opened, {
    credit: calls.author,
    knownBase: seenFiles.baseOf,
    room: (path, size) => limits.assertRoom(path, size, settingsOf(policyFile())?.limits),
    touched: calls.onTouch,
    committed: ({ path, after }) => seenFiles.onCommitted(path, after),
  })
  try {
    const agent = new SessionAgent(deps.agent, state, store, deps.saveAgent)
    const lock = new ContentLock(store.overlay, seenFiles, tool)
    const outbox = new LedgerOutbox(id, agent, ledger, store, tool)
    const questions = new SessionQuestions(store, state, deps.approver, deps.recordAnswer)
    const feedback = new SessionFeedback(store, questions, tool)
    const policy = createPolicy({
      intents: memoizePerTick(() => registry.state()),
      policy: policyFile,
      tool,
      activeIntentId: () => state.intentId,
      base: (path) => lock.check(path),
      answers: () => questions.answers,
    })
    const intent = new SessionIntent(deps, state, policy, outbox, tool)
    const snapshots = new SessionSnapshots(store, policy)

    const syncExternal = () => {
      const records = reviews.read()
      store.settle(records)
      feedback.update(records)
      questions.update(records)
      limits.recount()
      return records
    }
    const assertOpen = () => {
      if (state.closed) throw new EscrowError('session_busy', `Session ${id} is closed. Open it again to continue.`)
    }
    // A closed session has no log: only the caller sees its denials.
    const recordDenial = (denial: Denial) => {
      if (!state.closed) outbox.recordDenial(denial, state.intentId)
    }
    const record = <T extends TraceType>(type: T, more: DraftFields<T>) =>
      outbox.append(type, state.intentId, { reqId: tool()?.callId ?? null, ...more })

    const checks = [
      repositoryCheck(store.overlay),
      ledgerCheck(outbox),
      memoryCheck(store.overlay, deps.memory),
      limitCheck(policy, limits),
      (access: Access) => feedback.checkRejections(access),
      (access: Access) => feedback.checkAmendments(access),
    ]
    const guard = new SessionGuard(id, state, policy, questions, checks, (dir) => [
      ...lock.readBelow(dir),
      ...feedback.refusedPathsBelow(dir).map(asRelPath),
    ])
    const view = sessionView(deps, { store, guard, lock, feedback, syncExternal })
    const merge = async (paths: readonly string[]) => {
      const { known } = agent
      const by = { name: known?.model ?? known?.tool ?? id }
      const merged = await mergeDrifted(view, store, reviews, by, paths)
      if (merged.length === 0) return
      syncExternal()
      await record('drift_merged', { paths: merged })
    }
    const gate = new CallGate(policy, questions, limits, view, recordDenial, syncExternal)
    const runner = new CallRunner(calls, gate, state, store, outbox, snapshots, questions, merge)
    const terminal = new SessionTerminal({
      id,
      layout,
      state,
      store,
      view,
      policy,
      journal: outbox,
      feedback,
      syncExternal,
      assertOpen,
      changesSince: (since, isWanted) => snapshots.changes({ since }, isWanted),
      admission: new SessionAdmission(policy, questions, syncExternal, recordDenial),
      record: (data) => record('command', { data }),
      async inCall(work, isNew) {
        if (tool() && isNew !== true) return work()
        assertOpen()
        syncExternal()
        return runner.run({ tool: 'exec', kind: 'command' }, work)
      },
      gitRef: openRefs(layout.root),
    })
    const format = new SessionFormat(policy, terminal.internal, store.overlay, (message) =>
      feedback.addMessage(message),
    )
    const runReadOnly: SyncState['runReadOnly'] = (command, options) => terminal.runReadOnly(command, options)
    const fs = sessionFs({ view, denied: recordDenial }, { tool, runReadOnly: runReadOnly })
    syncExternal()
    const base = { state, store, agent, calls, policy, outbox, intent, questions, feedback, snapshots }
    return { ...base, view, runner, terminal, format, fs, syncExternal, assertOpen, record }
  } catch (error) {
    store.close()
    throw error
  }
}

function settingsOf(policy: ReturnType<SessionDeps['policyFile']>) {
  return policy.ok ? policy.rules.settings : undefined
}
