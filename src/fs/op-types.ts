/**
 * The op table: one row a stem. A read row's body is given a view without mutators (the third lock); a refused row
 * says why. What the host has and this table lacks is refused by name at run time (the second lock).
 */

export type Args = readonly unknown[]

/** Which of its three faces an op was called by: a few behave differently in one of them. */
export type Form = 'sync' | 'callback' | 'promise'

/** What a callback gets in place of one value: `read` calls back with the count and the buffer. */
export class Spread {
  constructor(readonly values: readonly unknown[]) {}
}
