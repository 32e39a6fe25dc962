import type { CallJudge, Feedback } from '../../index.js'

/** Keeps feedback whose response did not reach the client, for the next response of its session. */
export class UndeliveredFeedback {
  readonly #feedback = new Map<string, Feedback[]>()

  /** Starts a response. */
  begin(): Delivery {
    return new Delivery(
      (session) => {
        const feedback = this.#feedback.get(session) ?? []
        this.#feedback.delete(session)
        return feedback
      },
      (session, feedback) => {
        if (feedback.length > 0) this.#feedback.set(session, [...(this.#feedback.get(session) ?? []), ...feedback])
      },
    )
  }
}

/** The feedback of one response, until it is known to be lost. */
class Delivery {
  readonly #delivered: (readonly [session: string, words: readonly Feedback[]])[] = []
  #isLost = false

  constructor(
    private readonly take: (session: string) => readonly Feedback[],
    private readonly restore: (session: string, feedback: readonly Feedback[]) => void,
  ) {}

  /** Wraps a judge: it also delivers lost feedback, and keeps its own until this response has arrived. */
  wrap(judge: CallJudge): CallJudge {
    const { root, session, gate, isHeld, intent } = judge
    return {
      root,
      session,
      gate,
      isHeld,
      intent,
      intents: () => judge.intents(),
      explain: (path, op) => judge.explain(path, op),
      judge: (call) => judge.judge(call),
      refuse: (denial, call) => judge.refuse(denial, call),
      introduceAgent: () => judge.introduceAgent(),
      isNews: (conversation, text) => judge.isNews(conversation, text),
      feedback: async () => {
        const feedback = [...this.take(session), ...(await judge.feedback().catch(() => []))]
        if (this.#isLost) this.restore(session, feedback)
        else this.#delivered.push([session, feedback])
        return feedback
      },
    }
  }

  /** Call it when the client cannot get this response. */
  markLost(): void {
    this.#isLost = true
    for (const [session, feedback] of this.#delivered.splice(0)) this.restore(session, feedback)
  }
}
