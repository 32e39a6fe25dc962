import { defined } from '../../core/defined.js'
import type { HubReview } from '../../remote/index.js'
import { SerialQueue } from '../../surface/index.js'
import { detailsOf, joinSentences } from '../failure.js'
import { pluralize } from '../output.js'
import { colorsFor } from './coloring.js'
import type { EffectRunner } from './effect-runner.js'
import { type Effect, isSameAt, isSameSet, type Message, type Staged, type Target } from './state.js'
import type { Event } from './update.js'

type Deciding = Extract<Effect, { readonly do: 'approve' | 'reject' }>

/** Runs the effects of a review on a hub. Its screen has no keys for any others. */
export class HubEffectRunner implements EffectRunner {
  readonly #queue = new SerialQueue()
  #displayed: Staged['set'] = { digest: '', changes: [] }
  /** The last change set as text: an equal one is not shown again. */
  #last = ''
  #isClosed = false
  #isLooking = false

  constructor(
    private readonly review: HubReview,
    private readonly dispatch: (event: Event) => void,
  ) {}

  open(): Promise<Staged> {
    return this.#read()
  }

  onStageChange(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#enqueue(async () => {
      this.#isLooking = false
      await this.#refresh(false)
    })
  }

  run(effect: Effect): void {
    this.#enqueue(() => this.#perform(effect))
  }

  stop(): void {
    // A decision is one request: there is nothing to cancel.
  }

  idle(): Promise<void> {
    return this.#queue.idle()
  }

  close(): void {
    this.#isClosed = true
  }

  #enqueue(work: () => Promise<void>): void {
    void this.#queue.run(() =>
      work().catch((error: unknown) => {
        const { message, hint = '' } = detailsOf(error)
        this.#showMessage(joinSentences(message, hint), 'failed')
      }),
    )
  }

  async #read(): Promise<Staged> {
    const { session, agent, set, notes, facts } = await this.review.read()
    this.#displayed = set
    this.#last = JSON.stringify([set, [...notes]])
    const head = { session, live: false, facts, ...defined({ by: agent }) }
    return { head, set, notes, questions: [], quarantined: 0, checks: [], checklist: [], work: [] }
  }

  async #refresh(quiet: boolean): Promise<void> {
    if (this.#isClosed) return
    const before = this.#last
    const staged = await this.#read()
    if (this.#last !== before) this.dispatch({ is: 'staged', staged, at: performance.now(), quiet })
  }

  async #perform(effect: Effect): Promise<void> {
    if (effect.do === 'approve' || effect.do === 'reject') await this.#decide(effect)
    else if (effect.do === 'approveAll') await this.#approveAll(effect)
    else if (effect.do === 'color') await this.#color(effect)
  }

  async #decide(effect: Deciding): Promise<void> {
    const { target, shown } = effect
    const { change, hunk } = target
    if (!isSameAt(change.path, shown, this.#displayed)) {
      this.#return(target)
      return this.#showMessage(
        `${change.path} changed after it was shown. Nothing was recorded. Look at it again.`,
        'failed',
      )
    }
    const isApproval = effect.do === 'approve'
    try {
      await this.review.decide(
        { change, ...defined({ hunkId: hunk?.id }) },
        isApproval ? 'approved' : 'rejected',
        effect.do === 'reject' ? effect.words : undefined,
      )
    } catch (error) {
      this.#return(target)
      throw error
    }
    await this.#refresh(true)
    const what = hunk === undefined ? change.path : `a hunk of ${change.path}`
    const state = this.#stateOf(target)
    if (isApproval && state !== 'approved')
      return this.#showMessage(`You approved ${what}. It needs more approvals: see the line below its name.`)
    this.#showMessage(`You ${isApproval ? 'approved' : 'rejected'} ${what}.`)
  }

  #stateOf({ change: { path, kind }, hunk }: Target): string | undefined {
    const change = this.#displayed.changes.find((each) => each.path === path && each.kind === kind)
    return hunk === undefined ? change?.state : change?.hunks.find(({ id }) => id === hunk.id)?.state
  }

  async #approveAll({ shown }: Extract<Effect, { readonly do: 'approveAll' }>): Promise<void> {
    if (!isSameSet(shown, this.#displayed))
      return this.#showMessage(
        'The changes differ from those shown. Nothing was approved. Look at them again.',
        'failed',
      )
    const pending = shown.changes.filter((change) => change.state === 'pending' && !change.flags.includes('large'))
    if (pending.length > 0) await this.review.decide({ all: pending }, 'approved')
    await this.#refresh(true)
    this.#showMessage(`You approved ${pluralize(pending.length, 'change')}.`)
  }

  async #color({ change }: Extract<Effect, { readonly do: 'color' }>): Promise<void> {
    const colors = this.#isClosed ? undefined : await colorsFor(change.path, await this.review.content(change))
    if (colors !== undefined) this.dispatch({ is: 'colored', change, colors })
  }

  #return(target: Target): void {
    this.dispatch({ is: 'refused', target, at: performance.now() })
  }

  #showMessage(text: string, kind: Message['kind'] = 'info'): void {
    this.dispatch({ is: 'message', message: { text, kind } })
  }
}
