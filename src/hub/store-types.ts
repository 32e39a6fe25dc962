import type { LineFold } from '../trace/remote-chain.js'

export interface LedgerLine {
  readonly number: number
  readonly sha256: string
  readonly line: string
}

/** The chains that the hub writes itself, as its audit. */
export interface LedgerStore {
  read(chain: string, after: number): Promise<LedgerLine[]>
}

/** The part of a machine's ledger that the hub has. */
export interface MachineLedger {
  /** The name of the machine's token. */
  readonly machine: string
  readonly lines: number
  readonly bytes: number
  /** The number and the hash of its newest record, as `escrow verify --heads` takes them. */
  readonly head?: string
  /** It has branches that no record joins yet: `escrow verify` reports them. */
  readonly isForked?: boolean
  /** ISO 8601: when its last line came. */
  readonly at: string
}

/** The ledgers of machines: the same lines as in their files. */
export interface MachineLedgers {
  /** How many lines the hub has, and the fold of their hashes. */
  head(machine: string): Promise<LineFold>
  /**
   * Appends lines if the ones before are those of `after`. The same lines again change nothing. Rejects with `behind` if others are there, and
   * with `invalid` if they do not continue the chain.
   * @param lines without their LF
   * @returns what {@link head} returns then
   */
  append(machine: string, after: LineFold, lines: readonly Buffer[]): Promise<LineFold>
  list(): Promise<MachineLedger[]>
  /**
   * Yields the bytes of the lines after a number, whole lines with their LF. Each is checked against the hash that it came with. Rejects with
   * `not_found`, or with `refused` if the database was changed.
   */
  read(machine: string, after: number): AsyncGenerator<Buffer>
}

export interface ContentStore {
  /** Returns whether the content is new. Rejects with `invalid` if the bytes have another digest. */
  put(digest: string, bytes: Uint8Array): Promise<boolean>
  get(digest: string): Promise<Uint8Array | undefined>
  /**
   * Removes the contents that were not sent in the last `days`, except those of changes that wait for a reviewer or a worker.
   * @returns how many contents, and their bytes
   * @throws HubError `invalid` if `days` is less than one
   */
  removeUnused(days: number): Promise<{ readonly contents: number; readonly bytes: number }>
}
