let lastMs = 0
let inMs = 0
/** Nanoseconds since 1970: the clock's milliseconds plus a counter, so that each call returns more than the last. */
export function nowNs(): string {
  const now = Date.now()
  if (now > lastMs) {
    lastMs = now
    inMs = 0
  } else if (++inMs === 1_000_000) {
    lastMs++
    inMs = 0
  }
  return `${lastMs}${String(inMs).padStart(6, '0')}`
}
