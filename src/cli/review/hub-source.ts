import { type HubReviewer, type HubSession, riskLevel } from '../../remote/index.js'
import { HubEffectRunner } from './hub-runner.js'
import type { WaitingSession } from './list.js'
import { describeCounts } from './local-source.js'
import type { ReviewSource } from './source.js'

/** Milliseconds between two looks at the hub. */
const POLL_MS = 3_000

/** The sessions that wait on a hub. */
export function hubSource(reviewer: HubReviewer): ReviewSource {
  const poll = (check: () => void) => {
    const timer = setInterval(check, POLL_MS)
    return () => clearInterval(timer)
  }
  return {
    surface: 'hub',
    async assertKnown(session) {
      await reviewer.open(session)
    },
    sessions: async () => (await reviewer.queue()).map(waitingOf),
    watchSessions: poll,
    async open(session, { dispatch }) {
      const runner = new HubEffectRunner(await reviewer.open(session), dispatch)
      return {
        runner,
        lastLook: undefined,
        watch: () => poll(() => runner.onStageChange()),
        leave: (state) => `${describeCounts(state)}. Its machine records the decisions with 'escrow remote sync'.\n`,
      }
    },
  }
}

function waitingOf({ session, changes, pending, risk, at }: HubSession): WaitingSession {
  const detail = `risk: ${riskLevel(risk)}  ${pending} of ${changes} to decide  since ${at.slice(0, 16)}`
  return { id: session, live: false, changes, questions: 0, detail }
}
