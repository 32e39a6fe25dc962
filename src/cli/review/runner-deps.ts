import type { Review, Reviewer } from '../../index.js'
import type { WorkEvent } from '../../surface/index.js'
import type { Delivered } from '../delivery.js'
import type { Head } from './state.js'
import type { Event } from './update.js'

/** The dependencies of a screen's effects. */
export interface EffectRunnerDeps {
  readonly review: Review
  readonly by?: Reviewer
  head(): Head
  /** Reads the events of the session from the ledger. */
  work(): readonly WorkEvent[]
  /** Describes when the agent gets the reviewer's text. */
  delivery(what: Delivered): string
  dispatch(event: Event): void
  /** Opens a text in the person's editor on this terminal. */
  editText(text: string, name: string): Promise<string>
  now(): number
}
