export const ID = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/#-]{0,99}$/u

/** Whether an intent can have this id. */
export function isIntentId(id: string): boolean {
  return ID.test(id)
}
