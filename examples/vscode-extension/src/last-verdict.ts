import type { Change, Selection, Verdict } from 'escrowfs'
import type { SessionSnapshot } from './reviewed-workspace.js'

/** The parts that a verdict newly decided, which withdrawing it makes undecided again. */
export interface RecordedVerdict {
  readonly snapshot: SessionSnapshot
  readonly selection: Selection
}

/** The last verdict of this window, for `u` and "Take Back". */
export class LastVerdict {
  #verdicts: readonly RecordedVerdict[] = []

  set(verdicts: readonly RecordedVerdict[]): void {
    if (verdicts.length > 0) this.#verdicts = verdicts
  }

  /** Returns the last verdict and forgets it. */
  take(): readonly RecordedVerdict[] {
    const verdicts = this.#verdicts
    this.#verdicts = []
    return verdicts
  }

  forget(): void {
    this.#verdicts = []
  }
}

/** The displayed parts that a verdict newly decided. Undefined if there are none. */
export function newlyDecided(
  snapshot: SessionSnapshot,
  { paths, hunks = [] }: Pick<Verdict, 'paths' | 'hunks'>,
): RecordedVerdict | undefined {
  const [named, decided] = [new Set(paths), new Set(hunks)]
  const whole: string[] = []
  const parts: string[] = []
  for (const change of snapshot.set.changes.filter(({ path }) => named.has(path))) {
    const open = undecided(change, decided)
    if (open === undefined) whole.push(change.path)
    else parts.push(...open)
  }
  return whole.length + parts.length === 0 ? undefined : { snapshot, selection: { paths: whole, hunks: parts } }
}

/** The hunks of a change that had no verdict. Undefined for the whole change. */
function undecided({ state, hunks }: Change, decided: ReadonlySet<string>): string[] | undefined {
  if (state !== 'pending') return []
  const chosen = hunks.filter(({ id }) => decided.has(id))
  const open = (chosen.length > 0 ? chosen : hunks).filter((hunk) => hunk.state === 'pending').map(({ id }) => id)
  return open.length === hunks.length ? undefined : open
}
