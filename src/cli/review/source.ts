import type { LastLook } from '../../surface/index.js'
import type { EffectRunner } from './effect-runner.js'
import type { Surface } from './keys.js'
import type { WaitingSession } from './list.js'
import type { State } from './state.js'
import type { Event } from './update.js'

/** Where a terminal review gets its sessions from, and records decisions: a workspace on this machine, or a hub. */
export interface ReviewSource {
  readonly surface: Surface
  /** Rejects for an unknown session. */
  assertKnown(session: string): Promise<void>
  sessions(): Promise<readonly WaitingSession[]>
  /** Reports changes of the sessions. Returns a function that ends it. */
  watchSessions(onChange: () => void): () => void
  open(session: string, screen: ScreenDeps): Promise<OpenedReview>
}

/** The screen that a review is on. */
export interface ScreenDeps {
  dispatch(event: Event): void
  /** Opens a text in the person's editor on this terminal. */
  editText(text: string, name: string): Promise<string>
}

/** The review of one session. */
export interface OpenedReview {
  readonly runner: EffectRunner
  readonly lastLook: LastLook | undefined
  /** Calls the runner when the session's changes may have changed. Returns a function that ends it. */
  watch(): () => void
  /** Called when the person leaves. Returns one line about the review. */
  leave(state: State): string
}
