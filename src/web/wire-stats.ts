/** The totals of the ledger, as the page gets them. Like `wire.ts` it imports nothing. */
export interface WireStats {
  readonly lines: {
    readonly total: number
    readonly ai: number
    readonly human: number
    readonly unknown: number
    readonly byIntent: Readonly<Record<string, number>>
    readonly byModel: Readonly<Record<string, number>>
    readonly byClass: Readonly<Record<string, number>>
  }
  readonly approval: { readonly approved: number; readonly rejected: number; readonly rate: number | null }
  readonly rework: {
    readonly days: number
    readonly written: number
    readonly changed: number
    readonly rate: number | null
  }
  readonly released: {
    readonly byPeople: WireReleased
    readonly byTier: Readonly<Record<string, WireReleased>>
  }
}

interface WireReleased {
  readonly commits: number
  readonly changes: number
  readonly undone: number
}
