import type { Answer, CommitResult, Review, Reviewer, Selection } from '../../index.js'
import { SerialQueue, type WorkEvent } from '../../surface/index.js'
import { detailsOf } from '../failure.js'
import { pluralize } from '../output.js'
import { colorsFor } from './coloring.js'
import { type Effect, type Head, isSame, isSameThere, type Message, type Staged, type Target } from './state.js'
import type { Event } from './update.js'

export interface DeskDeps {
  readonly review: Review
  readonly by?: Reviewer
  head(): Promise<Head>
  /** What the ledger knows of the session's work. */
  work(): readonly WorkEvent[]
  /** When the agent gets what is said to it. */
  delivery(): string
  dispatch(event: Event): void
  /** Lets the person edit a text, in another program on this terminal. */
  editText(text: string, name: string): Promise<string>
  now(): number
}

/** Does what a screen asks for, one after the other: so what was last shown is what a verdict is held against. */
export interface EffectRunner {
  /** What is staged, as it is shown first. */
  open(): Promise<Staged>
  /** The stage may have moved: it is looked at again soon. */
  onStageChange(): void
  carryOut(effect: Effect): void
  /** Calls a commit off, where that is still possible. */
  stop(): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
  close(): void
}

/** News come in bursts. A look at a large stage is work, so there is a pause as long as the last one took, too. */
const GATHER_MS = 60

type Given<T extends Effect['do']> = Extract<Effect, { readonly do: T }>

export function createDesk(deps: DeskDeps): EffectRunner {
  return new ReviewEffectRunner(deps)
}

class ReviewEffectRunner implements EffectRunner {
  readonly #queue = new SerialQueue()
  #shown: Staged['set'] = { digest: '', changes: [] }
  #head: Head = { session: '', live: false }
  #looking: NodeJS.Timeout | undefined
  #took = 0
  #committing: AbortController | undefined
  #isClosed = false

  constructor(private readonly deps: DeskDeps) {}

  async open(): Promise<Staged> {
    this.#head = await this.deps.head()
    return this.#look()
  }

  onStageChange(): void {
    if (this.#isClosed) return
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined
      this.#enqueue(() => this.#renew())
    }, GATHER_MS + this.#took)
  }

  carryOut(effect: Effect): void {
    this.#enqueue(() => this.#do(effect))
  }

  stop(): void {
    this.#committing?.abort(new Error('The commit was cancelled. Nothing was written to disk.'))
  }

  idle(): Promise<void> {
    return this.#queue.idle()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#looking)
  }

  #enqueue(work: () => Promise<void>): void {
    void this.#queue.run(() => work().catch((error: unknown) => this.#showFailure(error)))
  }

  #showFailure(error: unknown): void {
    const { message, hint, refused } = detailsOf(error)
    const more = refused.slice(0, 3).map((each) => `${each.path}: ${each.message}`)
    const said = more.filter((each) => !message.includes(each.slice(each.indexOf(': ') + 2)))
    this.#tell([message, ...said, hint ?? ''].join(' ').trim(), 'failed')
    this.onStageChange()
  }

  #tell(text: string, kind: Message['kind'] = 'told'): void {
    this.deps.dispatch({ is: 'told', message: { text, kind } })
  }

  async #look(): Promise<Staged> {
    const began = this.deps.now()
    const { review } = this.deps
    const questions = await review.questions()
    const quarantined = (await review.quarantined()).length
    const set = await review.changes()
    this.#shown = set
    this.#took = this.deps.now() - began
    return { head: this.#head, set, questions, quarantined, work: this.deps.work() }
  }

  async #renew(quiet = false): Promise<void> {
    if (this.#isClosed) return
    const staged = await this.#look()
    this.deps.dispatch({ is: 'staged', staged, at: this.deps.now(), quiet })
    this.#head = await this.deps.head()
    this.deps.dispatch({ is: 'head', head: this.#head })
  }

  async #do(effect: Effect): Promise<void> {
    if (effect.do === 'approve' || effect.do === 'withdraw' || effect.do === 'reject') await this.#decide(effect)
    else if (effect.do === 'approveAll') await this.#approveAll(effect)
    else if (effect.do === 'withdrawAll') await this.#withdrawAll(effect)
    else if (effect.do === 'split') await this.#split(effect)
    else if (effect.do === 'discard') await this.#discard(effect)
    else if (effect.do === 'edit') await this.#edit(effect)
    else if (effect.do === 'commit') await this.#commit(effect)
    else if (effect.do === 'answer') await this.#answer(effect.question.id, effect.answer)
    else if (effect.do === 'color') await this.#color(effect)
  }

  /** Nothing is decided on but what the screen had. */
  async #asDisplayed({ target: { change }, shown }: { target: Target; shown: Staged['set'] }): Promise<boolean> {
    if (isSameThere(change.path, shown, this.#shown)) return true
    this.#tell(`${change.path} changed after it was shown. Nothing was recorded. Look at it again.`, 'failed')
    return false
  }

  async #decide(effect: Given<'approve' | 'withdraw'> | Given<'reject'>): Promise<void> {
    const { dispatch } = this.deps
    const { target } = effect
    const leadBack = () => dispatch({ is: 'refused', target, at: this.deps.now() })
    if (!(await this.#asDisplayed(effect))) return leadBack()
    const verdict = await this.#record(effect).catch((error: unknown) => {
      leadBack()
      throw error
    })
    const state = verdict.verdict === 'withdrawn' ? 'pending' : verdict.verdict
    const what = target.hunk === undefined ? target.change.path : `A hunk of ${target.change.path}`
    // Nothing was recorded: somebody, or this reviewer a moment ago, had taken it back.
    if (verdict.id === '') {
      this.#tell(`${what} has no verdict to undo.`)
      this.onStageChange()
      return
    }
    dispatch({ is: 'decided', target, state })
    this.#tell(
      `${what} is ${state === 'pending' ? 'undecided again' : state}.${state === 'rejected' ? ` ${this.deps.delivery()}` : ''}`,
    )
    this.onStageChange()
  }

  #record(effect: Given<'approve' | 'withdraw'> | Given<'reject'>): ReturnType<Review['approve']> {
    const { review, by } = this.deps
    const selection = selectionOf(effect.target)
    if (effect.do === 'approve') return review.approve(selection, by)
    return effect.do === 'withdraw' ? review.withdraw(selection, by) : review.reject(selection, effect.words, by)
  }

  async #withdrawAll({ paths }: Given<'withdrawAll'>): Promise<void> {
    const staged = new Set(this.#shown.changes.map(({ path }) => path))
    const those = paths.filter((path) => staged.has(path))
    if (those.length > 0) await this.deps.review.withdraw({ paths: those }, this.deps.by)
    await this.#renew(true)
    this.deps.dispatch({ is: 'approvedAll', paths: [] })
    this.#tell(`${pluralize(those.length, 'file')} undecided again.`)
  }

  async #approveAll({ shown }: Given<'approveAll'>): Promise<void> {
    if (!isSame(shown, this.#shown)) {
      this.#tell('The staged changes differ from what was shown. Nothing was approved. Look at them again.', 'failed')
      return
    }
    const { paths } = await this.deps.review.approve(undefined, this.deps.by)
    await this.#renew(true)
    this.deps.dispatch({ is: 'approvedAll', paths })
    const left = new Set(shown.changes.map(({ path }) => path)).size - new Set(paths).size
    this.#tell(`${pluralize(paths.length, 'change')} approved${left > 0 ? `, ${left} left out` : ''}.`)
  }

  async #split(effect: Given<'split'>): Promise<void> {
    if (!(await this.#asDisplayed(effect)) || effect.target.hunk === undefined) return
    const pieces = await this.deps.review.split(effect.target.hunk.id, this.deps.by)
    await this.#renew(true)
    this.#tell(`Split into ${pieces.length}.`)
  }

  async #discard(effect: Given<'discard'>): Promise<void> {
    if (!(await this.#asDisplayed(effect))) return
    await this.deps.review.discard(selectionOf(effect.target))
    await this.#renew(true)
    this.#tell(`Discarded: ${effect.target.hunk ? 'a hunk of ' : ''}${effect.target.change.path}.`)
  }

  async #edit({ target, shown, draft }: Given<'edit'>): Promise<void> {
    const { review, by, dispatch, editText } = this.deps
    const { path } = target.change
    if (!(await this.#asDisplayed({ target, shown }))) return
    const text = textOf(await review.content(path, 'after'))
    if (text === undefined) return this.#tell(`${path} is not UTF-8 text, so it cannot be edited here.`, 'warn')
    const now = await editText(draft ?? text, nameFor(path))
    if (now === text) return this.#tell('Nothing was changed.')
    dispatch({ is: 'draft', path, text: now })
    try {
      await review.edit(path, now, by)
    } catch (error) {
      await this.#renew(true)
      const { message } = detailsOf(error)
      return this.#tell(`${message} Your text is kept; e opens it again.`, 'failed')
    }
    dispatch({ is: 'draft', path, text: undefined })
    await this.#renew(true)
    this.#tell(`${path} was edited. It needs a verdict.`)
  }

  async #commit({ merge }: Given<'commit'>): Promise<void> {
    const { review, dispatch } = this.deps
    this.#committing = new AbortController()
    const { signal } = this.#committing
    dispatch({ is: 'progress', progress: { phase: 'checking', files: 0, total: 0, bytes: 0 } })
    let said: Message
    try {
      const onProgress = (
        progress: Parameters<NonNullable<NonNullable<Parameters<Review['commit']>[0]>['onProgress']>>[0],
      ) => dispatch({ is: 'progress', progress })
      said = commitWords(await review.commit({ merge, signal, onProgress }))
    } catch (error) {
      const { message, hint = '' } = detailsOf(error)
      const next = merge || signal.aborted ? hint : `${hint} c, then m merges with what is on disk.`
      said = { text: `${message} ${next}`.trim(), kind: 'failed' }
    } finally {
      this.#committing = undefined
      dispatch({ is: 'progress', progress: undefined })
    }
    await this.#renew(true)
    this.#tell(said.text, said.kind)
  }

  async #answer(id: string, answer: Answer): Promise<void> {
    const { review, by } = this.deps
    await review.answer(id, { ...answer, ...(by && { by }) })
    await this.#renew(true)
    this.#tell(`Answered: ${answer.answer}. ${this.deps.delivery()}`)
  }

  async #color({ change }: Given<'color'>): Promise<void> {
    const colors = this.#isClosed ? undefined : await colorsFor(this.deps.review, change)
    if (colors !== undefined) this.deps.dispatch({ is: 'colored', change, colors })
  }
}

function selectionOf({ change, hunk }: Target): Selection {
  return hunk === undefined ? { paths: [change.path] } : { hunks: [hunk.id] }
}

function textOf(content: Uint8Array | undefined): string | undefined {
  try {
    return content && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** What the editor knows the language by, and nothing else of a name that the agent chose. */
function nameFor(path: string): string {
  return `staged${/\.[A-Za-z0-9]{1,10}$/.exec(path)?.[0] ?? ''}`
}

function commitWords({ id, seq, committed, conflicts, warnings = [] }: CommitResult): Message {
  if (id === '') return { text: 'Nothing was committed: nothing is approved.', kind: 'warn' }
  const done = `${pluralize(committed.length, 'change')} committed, number ${seq}.`
  const [first] = conflicts
  if (first === undefined) return { text: [done, ...warnings].join(' '), kind: warnings.length > 0 ? 'warn' : 'told' }
  const rest = conflicts.length > 1 ? ` and ${conflicts.length - 1} more` : ''
  return {
    text: `${done} Not on disk: ${first.path}${rest}: ${first.reason}. Another program has written to it. See the changes again.`,
    kind: 'failed',
  }
}
