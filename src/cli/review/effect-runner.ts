import type { Answer, CommitProgress, Review } from '../../index.js'
import { BY_DIFF, BY_EDIT, BY_MERGE, SerialQueue } from '../../surface/index.js'
import { detailsOf, joinSentences } from '../failure.js'
import { pluralize } from '../output.js'
import { readChecklist, tickSentence } from './checklist-effects.js'
import { CheckRunner } from './checks.js'
import { colorsFor } from './coloring.js'
import { commitApproved } from './commit.js'
import { editorFileName, textOf } from './edited-text.js'
import type { EffectRunnerDeps } from './runner-deps.js'
import {
  type Effect,
  type Head,
  isSameAt,
  isSameSet,
  type Message,
  type Staged,
  selectionOf,
  type Target,
} from './state.js'

/** Runs the effects of a screen in sequence, so that each verdict is compared with the change set read last. */
export interface EffectRunner {
  /** Reads the stage for the first screen. */
  open(): Promise<Staged>
  /** Schedules another read of the stage. */
  onStageChange(): void
  run(effect: Effect): void
  /** Cancels a running commit if nothing of it is on disk yet. */
  stop(): void
  /** Resolves when no effect is running or queued. */
  idle(): Promise<void>
  close(): void
}

/** Change events come in bursts. The delay also includes the time of the last read, which is long for a large stage. */
const DEBOUNCE_MS = 60
/** The delay after a read that failed. A workspace that is gone must not keep the processor busy. */
const RETRY_MS = 5_000

type EffectOf<T extends Effect['do']> = Extract<Effect, { readonly do: T }>

export function createEffectRunner(deps: EffectRunnerDeps): EffectRunner {
  return new ReviewEffectRunner(deps)
}

class ReviewEffectRunner implements EffectRunner {
  readonly #queue = new SerialQueue()
  #displayed: Staged['set'] = { digest: '', changes: [] }
  #head: Head = { session: '', live: false }
  #refreshTimer: NodeJS.Timeout | undefined
  #isRetrying = false
  #readMs = 0
  #commitController: AbortController | undefined
  #isClosed = false
  #isRanked = false

  constructor(
    private readonly deps: EffectRunnerDeps,
    private readonly checks = new CheckRunner(deps),
  ) {}

  async open(): Promise<Staged> {
    this.#head = this.deps.head()
    return this.#readStage()
  }

  onStageChange(): void {
    if (this.#isRetrying) this.#cancelRefresh()
    this.#scheduleRefresh(DEBOUNCE_MS + this.#readMs)
  }

  #scheduleRefresh(delay: number): void {
    if (this.#isClosed) return
    this.#refreshTimer ??= setTimeout(() => {
      this.#cancelRefresh()
      void this.#queue.run(() => this.#refresh().catch((error: unknown) => this.#retryRefresh(error)))
    }, delay)
  }

  #retryRefresh(error: unknown): void {
    this.#showError(error)
    this.#scheduleRefresh(RETRY_MS)
    this.#isRetrying = true
  }

  #cancelRefresh(): void {
    clearTimeout(this.#refreshTimer)
    this.#refreshTimer = undefined
    this.#isRetrying = false
  }

  run(effect: Effect): void {
    if (effect.do === 'check') this.checks.start()
    else this.#enqueue(() => this.#perform(effect))
  }

  stop(): void {
    this.checks.stop()
    this.#commitController?.abort(new Error('The commit was cancelled. Nothing was written to disk.'))
  }

  async idle(): Promise<void> {
    await this.checks.idle()
    await this.#queue.idle()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRefresh()
  }

  #enqueue(work: () => Promise<void>): void {
    void this.#queue.run(() => work().catch((error: unknown) => this.#showFailure(error)))
  }

  #showFailure(error: unknown): void {
    this.#showError(error)
    this.onStageChange()
  }

  #showError(error: unknown): void {
    const { message, hint, refused } = detailsOf(error)
    const more = refused.slice(0, 3).map((each) => `${each.path}: ${each.message}`)
    const reasons = more.filter((each) => !message.includes(each.slice(each.indexOf(': ') + 2)))
    const here =
      hint?.replace(BY_DIFF, 'here').replace(BY_EDIT, 'with e').replace(BY_MERGE, 'with the keys c and m') ?? ''
    this.#showMessage(joinSentences(message, ...reasons, here), 'failed')
  }

  #showMessage(text: string, kind: Message['kind'] = 'info'): void {
    this.deps.dispatch({ is: 'message', message: { text, kind } })
  }

  async #readStage(): Promise<Staged> {
    const startedAt = this.deps.now()
    const { review } = this.deps
    const questions = await review.questions()
    const quarantined = (await review.quarantined()).length
    const set = await review.changes({ classes: 'known', risk: this.#isRanked })
    const checks = await this.checks.read()
    const checklist = await readChecklist(this.deps)
    this.#displayed = set
    this.#readMs = this.deps.now() - startedAt
    return { head: this.#head, set, questions, quarantined, checks, checklist, work: this.deps.work() }
  }

  async #refresh(quiet = false): Promise<void> {
    if (this.#isClosed) return
    const staged = await this.#readStage()
    this.deps.dispatch({ is: 'staged', staged, at: this.deps.now(), quiet })
    this.#head = this.deps.head()
    this.deps.dispatch({ is: 'head', head: this.#head })
  }

  async #perform(effect: Effect): Promise<void> {
    if (effect.do === 'approve' || effect.do === 'withdraw' || effect.do === 'reject') await this.#decide(effect)
    else if (effect.do === 'approveAll') await this.#approveAll(effect)
    else if (effect.do === 'withdrawAll') await this.#withdrawAll(effect)
    else if (effect.do === 'split') await this.#split(effect)
    else if (effect.do === 'discard') await this.#discard(effect)
    else if (effect.do === 'edit') await this.#edit(effect)
    else if (effect.do === 'commit') await this.#commit(effect)
    else if (effect.do === 'answer') await this.#answer(effect.question.id, effect.answer)
    else if (effect.do === 'tick') await tickSentence(this.deps, effect.item)
    else if (effect.do === 'color') await this.#color(effect)
    else if (effect.do === 'rank') {
      this.#isRanked = true
      await this.#refresh(true)
    }
  }

  /** True if the target is unchanged since it was displayed. Otherwise shows a message, and nothing must be recorded. */
  async #isAsDisplayed({ target: { change }, shown }: { target: Target; shown: Staged['set'] }): Promise<boolean> {
    if (isSameAt(change.path, shown, this.#displayed)) return true
    this.#showMessage(`${change.path} changed after it was shown. Nothing was recorded. Look at it again.`, 'failed')
    return false
  }

  async #decide(effect: EffectOf<'approve' | 'withdraw'> | EffectOf<'reject'>): Promise<void> {
    const { dispatch } = this.deps
    const { target } = effect
    const returnToTarget = () => dispatch({ is: 'refused', target, at: this.deps.now() })
    if (!(await this.#isAsDisplayed(effect))) return returnToTarget()
    const verdict = await this.#record(effect).catch((error: unknown) => {
      returnToTarget()
      throw error
    })
    const state = verdict.verdict === 'withdrawn' ? 'pending' : verdict.verdict
    const what = target.hunk === undefined ? target.change.path : `A hunk of ${target.change.path}`
    // Another reviewer, or this one a moment ago, has withdrawn the verdict already.
    if (verdict.id === '') {
      this.#showMessage(`${what} has no verdict to undo.`)
      this.onStageChange()
      return
    }
    dispatch({ is: 'decided', target, state })
    this.#showMessage(
      `${what} is ${state === 'pending' ? 'undecided again' : state}.${state === 'rejected' ? ` ${this.deps.delivery('the reason')}` : ''}`,
    )
    this.onStageChange()
  }

  #record(effect: EffectOf<'approve' | 'withdraw'> | EffectOf<'reject'>): ReturnType<Review['approve']> {
    const { review, by } = this.deps
    const selection = selectionOf(effect.target)
    if (effect.do === 'approve') return review.approve(selection, by)
    return effect.do === 'withdraw' ? review.withdraw(selection, by) : review.reject(selection, effect.words, by)
  }

  async #withdrawAll({ paths }: EffectOf<'withdrawAll'>): Promise<void> {
    const staged = new Set(this.#displayed.changes.map(({ path }) => path))
    const those = paths.filter((path) => staged.has(path))
    if (those.length > 0) await this.deps.review.withdraw({ paths: those }, this.deps.by)
    await this.#refresh(true)
    this.deps.dispatch({ is: 'approvedAll', paths: [] })
    this.#showMessage(`${pluralize(those.length, 'file')} undecided again.`)
  }

  async #approveAll({ shown }: EffectOf<'approveAll'>): Promise<void> {
    if (!isSameSet(shown, this.#displayed)) {
      this.#showMessage(
        'The staged changes differ from what was shown. Nothing was approved. Look at them again.',
        'failed',
      )
      return
    }
    const { paths } = await this.deps.review.approve(undefined, this.deps.by)
    await this.#refresh(true)
    this.deps.dispatch({ is: 'approvedAll', paths })
    const remaining = new Set(shown.changes.map(({ path }) => path)).size - new Set(paths).size
    this.#showMessage(`${pluralize(paths.length, 'change')} approved${remaining > 0 ? `, ${remaining} left out` : ''}.`)
  }

  async #split(effect: EffectOf<'split'>): Promise<void> {
    if (!(await this.#isAsDisplayed(effect)) || effect.target.hunk === undefined) return
    const pieces = await this.deps.review.split(effect.target.hunk.id, this.deps.by)
    await this.#refresh(true)
    this.#showMessage(`Split into ${pieces.length}.`)
  }

  async #discard(effect: EffectOf<'discard'>): Promise<void> {
    if (!(await this.#isAsDisplayed(effect))) return
    await this.deps.review.discard(selectionOf(effect.target))
    await this.#refresh(true)
    this.#showMessage(`Discarded: ${effect.target.hunk ? 'a hunk of ' : ''}${effect.target.change.path}.`)
  }

  async #edit({ target, shown, draft }: EffectOf<'edit'>): Promise<void> {
    const { review, by, dispatch, editText } = this.deps
    const { path } = target.change
    if (!(await this.#isAsDisplayed({ target, shown }))) return
    const text = textOf(await review.content(path, 'after'))
    if (text === undefined) return this.#showMessage(`${path} is not UTF-8 text, so it cannot be edited here.`, 'warn')
    const now = await editText(draft ?? text, editorFileName(path))
    if (now === text) return this.#showMessage('Nothing was changed.')
    dispatch({ is: 'draft', path, text: now })
    try {
      await review.edit(path, now, by)
    } catch (error) {
      await this.#refresh(true)
      const { message } = detailsOf(error)
      return this.#showMessage(`${message} Your text is kept; e opens it again.`, 'failed')
    }
    dispatch({ is: 'draft', path, text: undefined })
    await this.#refresh(true)
    this.#showMessage(`${path} was edited. It needs a verdict.`)
  }

  async #commit({ merge }: EffectOf<'commit'>): Promise<void> {
    const { dispatch } = this.deps
    this.#commitController = new AbortController()
    const { signal } = this.#commitController
    dispatch({ is: 'progress', progress: { phase: 'checking', files: 0, total: 0, bytes: 0 } })
    const onProgress = (progress: CommitProgress) => dispatch({ is: 'progress', progress })
    const outcome = await commitApproved(this.deps, { merge, signal, onProgress })
    this.#commitController = undefined
    dispatch({ is: 'progress', progress: undefined })
    await this.#refresh(true)
    this.#showMessage(outcome.text, outcome.kind)
  }

  async #answer(id: string, answer: Answer): Promise<void> {
    const { review, by } = this.deps
    await review.answer(id, { ...answer, ...(by && { by }) })
    await this.#refresh(true)
    this.#showMessage(`Answered: ${answer.answer}. ${this.deps.delivery('your answer')}`)
  }

  async #color({ change }: EffectOf<'color'>): Promise<void> {
    if (this.#isClosed) return
    const colors = await colorsFor(change.path, await this.deps.review.content(change.path, 'after'))
    if (colors !== undefined) this.deps.dispatch({ is: 'colored', change, colors })
  }
}
