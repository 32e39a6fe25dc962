import type { CallJudge, Feedback } from '../../index.js'

/** Reviewers' words that were in an answer which its client never got: they are told with the next one of their session. */
export class UndeliveredFeedback {
  readonly #words = new Map<string, Feedback[]>()

  /** One answer on its way. */
  begin(): Delivery {
    return new Delivery(
      (session) => {
        const words = this.#words.get(session) ?? []
        this.#words.delete(session)
        return words
      },
      (session, words) => {
        if (words.length > 0) this.#words.set(session, [...(this.#words.get(session) ?? []), ...words])
      },
    )
  }
}

/** What one answer tells, until it is known to be lost. */
class Delivery {
  readonly #given: (readonly [session: string, words: readonly Feedback[]])[] = []
  #isLost = false

  constructor(
    private readonly take: (session: string) => readonly Feedback[],
    private readonly giveBack: (session: string, words: readonly Feedback[]) => void,
  ) {}

  /** A judge that tells those words as well, and whose own are kept until this answer is there. */
  by(judge: CallJudge): CallJudge {
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
        const words = [...this.take(session), ...(await judge.feedback().catch(() => []))]
        if (this.#isLost) this.giveBack(session, words)
        else this.#given.push([session, words])
        return words
      },
    }
  }

  /** Nobody has the answer, or will have it. */
  markLost(): void {
    this.#isLost = true
    for (const [session, words] of this.#given.splice(0)) this.giveBack(session, words)
  }
}
