import { defined } from '../../core/defined.js'
import type { Reviewer, SessionSummary, Workspace } from '../../index.js'
import { agentOfSession, readLastLook, readSessionWork, stateOfSession, writeLastLook } from '../../surface/index.js'
import { describeDelivery } from '../delivery.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { countStates } from './document.js'
import { createEffectRunner } from './effect-runner.js'
import { type WaitingSession, waitingSessions } from './list.js'
import type { ReviewSource } from './source.js'
import type { Head, State } from './state.js'

/** The sessions of a workspace on this machine. */
export function localSource(workspace: Workspace, by: Reviewer | undefined): ReviewSource {
  const { root } = workspace
  return {
    surface: 'terminal',
    async assertKnown(session) {
      await workspace.review(session)
    },
    sessions: () => readWaitingSessions(workspace),
    watchSessions: (onChange) => workspace.watch(onChange),
    async open(session, { dispatch, editText }) {
      const place = { root, session, reviewer: by?.name ?? 'git' }
      const runner = createEffectRunner({
        review: await workspace.review(session),
        ...defined({ by }),
        head: () => headOf(workspace, session),
        work: () => readSessionWork(root, session),
        delivery: (what) => describeDelivery(stateOfSession(root, session), what),
        dispatch,
        editText,
        now: () => performance.now(),
      })
      return {
        runner,
        lastLook: readLastLook(place),
        watch: () =>
          workspace.watch(({ sessions, policy, intents, classes }) => {
            if (policy || intents || classes || sessions.includes(session)) runner.onStageChange()
          }),
        leave(state) {
          writeLastLook(place, state.set.changes)
          return summaryOf(state)
        },
      }
    },
  }
}

async function readWaitingSessions(workspace: Workspace): Promise<WaitingSession[]> {
  const found: WaitingSession[] = []
  for (const session of await workspace.sessions())
    found.push({ ...session, questions: await countQuestions(workspace, session) })
  return waitingSessions(found)
}

async function countQuestions(workspace: Workspace, { id, damaged }: SessionSummary): Promise<number> {
  return damaged === undefined ? (await (await workspace.review(id)).questions()).length : 0
}

function headOf({ root }: Workspace, session: string): Head {
  const agent = agentOfSession(root, session)
  const by = agent?.model ?? agent?.tool
  return { session, live: stateOfSession(root, session) !== 'at rest', ...defined({ by }) }
}

function summaryOf({ set, head }: State): string {
  const { approved } = countStates(set)
  if (set.changes.length === 0) return `Nothing is staged in session '${oneLine(head.session)}'.\n`
  const next = approved > 0 ? ` Not on disk yet. Write it with 'escrow commit ${oneLine(head.session)}'.` : ''
  return `${describeCounts({ set, head })}.${next}\n`
}

/** `Session 's-1', 3 changes: 1 approved, 0 rejected, 2 pending` */
export function describeCounts({ set, head }: Pick<State, 'set' | 'head'>): string {
  const { pending, approved, rejected } = countStates(set)
  const counts = `${pluralize(set.changes.length, 'change')}: ${approved} approved, ${rejected} rejected, ${pending} pending`
  return `Session '${oneLine(head.session)}', ${counts}`
}
