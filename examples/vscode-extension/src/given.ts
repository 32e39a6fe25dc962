import type { Change, Selection, Verdict } from 'escrowfs'
import type { SessionLook } from './room.js'

/** What takes a verdict back: the parts that nobody had decided on before it. */
export interface Given {
  readonly look: SessionLook
  readonly selection: Selection
}

/** The verdict that was given last in this window, for `u` and for "Take Back". */
export class LastVerdict {
  #given: readonly Given[] = []

  note(given: readonly Given[]): void {
    if (given.length > 0) this.#given = given
  }

  /** @returns the last verdict, which is then forgotten */
  take(): readonly Given[] {
    const given = this.#given
    this.#given = []
    return given
  }

  forget(): void {
    this.#given = []
  }
}

/** What a verdict newly decided, of what was shown; undefined where that is nothing. */
export function givenBy(look: SessionLook, { paths, hunks = [] }: Pick<Verdict, 'paths' | 'hunks'>): Given | undefined {
  const [named, decided] = [new Set(paths), new Set(hunks)]
  const whole: string[] = []
  const parts: string[] = []
  for (const change of look.set.changes.filter(({ path }) => named.has(path))) {
    const open = undecided(change, decided)
    if (open === undefined) whole.push(change.path)
    else parts.push(...open)
  }
  return whole.length + parts.length === 0 ? undefined : { look, selection: { paths: whole, hunks: parts } }
}

/** The hunks of a change that had no verdict; undefined for all of it. */
function undecided({ state, hunks }: Change, decided: ReadonlySet<string>): string[] | undefined {
  if (state !== 'pending') return []
  const chosen = hunks.filter(({ id }) => decided.has(id))
  const open = (chosen.length > 0 ? chosen : hunks).filter((hunk) => hunk.state === 'pending').map(({ id }) => id)
  return open.length === hunks.length ? undefined : open
}
