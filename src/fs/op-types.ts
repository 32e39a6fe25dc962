/**
 * The types of the op table, which has one row for each stem. The body of a read row gets a view without mutators (the
 * third lock). A refused row has a reason. An export of the host without a row is refused by name at run time (the
 * second lock).
 */

export type Args = readonly unknown[]

/** The form an op was called in. A few behave differently in one of them. */
export type Form = 'sync' | 'callback' | 'promise'

/** A result of several values for a callback: `read` calls back with the count and the buffer. */
export class Spread {
  constructor(readonly values: readonly unknown[]) {}
}
