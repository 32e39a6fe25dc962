/** A clock that loses more than this was set back, by a person or a time server. */
const SET_BACK_MS = 1_000

let lastMs = 0
let inMs = 0

/**
 * Nanoseconds since 1970: the clock's milliseconds plus a counter, so that each call returns more than the last. Only if the clock is set
 * back by more than {@link SET_BACK_MS} does it return less, because staged files would otherwise keep times of the future.
 */
export function nowNs(): string {
  const now = Date.now()
  if (now > lastMs || now < lastMs - SET_BACK_MS) {
    lastMs = now
    inMs = 0
  } else if (++inMs === 1_000_000) {
    lastMs++
    inMs = 0
  }
  return `${lastMs}${String(inMs).padStart(6, '0')}`
}
