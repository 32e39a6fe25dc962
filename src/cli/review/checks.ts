import type { CheckReport, CheckStatus, Review } from '../../index.js'
import { detailsOf, joinSentences } from '../failure.js'
import { pluralize } from '../output.js'
import type { EffectRunnerDeps } from './runner-deps.js'
import type { Message } from './state.js'

interface CheckRunnerDeps extends Pick<EffectRunnerDeps, 'by' | 'dispatch'> {
  readonly review: Pick<Review, 'check' | 'checks'>
}

/** Runs the checks of the review screen in parallel to its other effects, so the person can continue while they run. */
export class CheckRunner {
  #controller: AbortController | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(private readonly deps: CheckRunnerDeps) {}

  /** The results of the checks that apply now, as far as they are known. */
  async read(): Promise<readonly CheckStatus[]> {
    try {
      return (await this.deps.review.checks()).checks
    } catch (error) {
      this.deps.dispatch({ is: 'message', message: { text: detailsOf(error).message, kind: 'failed' } })
      return []
    }
  }

  /** Starts the checks, unless they run already. */
  start(): void {
    if (this.#controller !== undefined) {
      const text = 'The checks run already. Ctrl-C stops them.'
      this.deps.dispatch({ is: 'message', message: { text, kind: 'warn' } })
      return
    }
    this.#controller = new AbortController()
    this.#running = this.#run(this.#controller.signal)
  }

  stop(): void {
    this.#controller?.abort(new Error('The checks were stopped.'))
  }

  idle(): Promise<void> {
    return this.#running
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { review, by, dispatch } = this.deps
    let message: Message
    dispatch({ is: 'checking', running: '…' })
    try {
      const report = await review.check({
        signal,
        ...(by && { by }),
        onStart: ({ run }) => dispatch({ is: 'checking', running: run }),
      })
      dispatch({ is: 'checked', checks: report.checks })
      message = checkMessage(report)
    } catch (error) {
      const { message: text, hint = '' } = detailsOf(error)
      message = { text: joinSentences(text, hint), kind: 'failed' }
    }
    this.#controller = undefined
    dispatch({ is: 'checking', running: undefined })
    dispatch({ is: 'message', message })
  }
}

/** The result, with the end of the first failure's output. */
function checkMessage({ checks }: CheckReport): Message {
  const failed = checks.filter(({ state }) => state !== 'passed')
  if (checks.length === 0)
    return { text: "No check applies. 'escrow intents edit ID --check COMMAND' declares one.", kind: 'warn' }
  const [first] = failed
  if (first === undefined) return { text: `${pluralize(checks.length, 'check')} passed.`, kind: 'info' }
  const end = first.evidence?.output.trimEnd().split('\n').at(-1)
  const more = end === undefined || end === '' ? '' : `: ${end}`
  return {
    text: `${failed.length} of ${pluralize(checks.length, 'check')} failed. ${first.check.run}${more}`,
    kind: 'failed',
  }
}
