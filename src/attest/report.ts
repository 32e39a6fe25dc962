import type { Predicate } from './statement.js'

/** A mismatch, and the part of the check that found it. */
export interface Problem {
  readonly check: 'signature' | 'statement' | 'subject' | 'ledger'
  readonly message: string
  readonly path?: string
}

export interface AttestationReport {
  readonly ok: boolean
  readonly problems: readonly Problem[]
  /** The trusted keys that signed, with the names they are trusted under. */
  readonly signedBy: readonly { readonly key: string; readonly names: readonly string[] }[]
  /** The key ids, as the envelope states them, of signatures that no trusted key confirms. */
  readonly unconfirmed: readonly string[]
  /** The number of files that were compared, and where they are. */
  readonly files?: { readonly compared: number; readonly where: string }
  /** Whether a ledger was there to compare with. */
  readonly ledger?: LedgerState
  /** The attested statement about the commit. Absent unless there are enough signatures. */
  readonly predicate?: Predicate
}

/** `damaged`: the ledger itself has a fault, or lacks what was attested. */
export type LedgerState = 'consistent' | 'absent' | 'damaged' | 'differs'
