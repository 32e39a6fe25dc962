import { HubError } from './hub-error.js'

/** A value of a query. Times are ISO 8601 texts, and JSON is text: so every driver sends and returns the same. */
export type SqlValue = string | number | boolean | null | Uint8Array
/** A row of a result. Whole numbers must be cast to `float8`, because drivers convert `bigint` differently. */
export type Row = Readonly<Record<string, unknown>>

/** Runs statements in one transaction. */
export interface Query {
  rows(sql: string, values?: readonly SqlValue[]): Promise<Row[]>
  /** Runs several statements without values. */
  script(sql: string): Promise<void>
}

/** A PostgreSQL database: the one interface that both drivers have. */
export interface Database {
  /** Runs `work` in a transaction, and again after a serialization failure or a deadlock. So `work` may run more than once. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>
  /**
   * Calls `wake` after changes, possibly too often or late, so the caller must read the tables. Returns a function that
   * ends it.
   */
  listen(wake: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** PostgreSQL cannot store NUL characters. @throws HubError `invalid` if a text contains one */
export function assertStorable(values: readonly SqlValue[]): readonly SqlValue[] {
  if (values.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new HubError('invalid', 'A text contains a NUL character, which the hub cannot store. Remove it.')
  return values
}

/** The channel of `notify`. */
export const CHANNEL = 'escrow_hub'

export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw new TypeError(`The column ${column} is not a text.`)
  return value
}

export function numberOf(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw new TypeError(`The column ${column} is not a number.`)
  return value
}

export function bytesOf(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw new TypeError(`The column ${column} has no bytes.`)
  return value
}

/** The text of a column that may be null. */
export function maybeTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column)
}
