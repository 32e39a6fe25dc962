export interface LedgerLine {
  readonly number: number
  readonly sha256: string
  readonly line: string
}

export interface LedgerStore {
  /** Appends a line if the last line has this hash; null: if there is none. Rejects with `behind`. */
  append(chain: string, previous: string | null, line: string): Promise<LedgerLine>
  read(chain: string, after: number): Promise<LedgerLine[]>
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
