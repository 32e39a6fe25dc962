import type { Outcome } from './incoming.js'

/** A result or a problem of a sync, for a person. */
export type SyncReport =
  | { readonly kind: 'sent'; readonly session: string; readonly changes: number }
  | { readonly kind: 'overlap'; readonly session: string; readonly path: string; readonly other: string }
  | {
      readonly kind: 'decided'
      readonly session: string
      readonly path: string
      readonly outcome: Outcome
      /** The person who decided last. */
      readonly reviewer: string
      /** Everybody who approved it, if several did. */
      readonly approvers?: readonly string[]
      /** How many hunks it is on; absent: the whole change. */
      readonly hunks?: number
    }
  | {
      readonly kind: 'landed'
      readonly session: string
      readonly branch: string
      readonly commit: string
      readonly changes: number
    }
  | { readonly kind: 'evicted'; readonly session: string; readonly path: string; readonly reason: string }
  | { readonly kind: 'ledger'; readonly lines: number }
  | { readonly kind: 'problem'; readonly session?: string; readonly message: string }
