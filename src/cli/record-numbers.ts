import type { RecordRange } from '../index.js'

/** The number of ranges that are listed. */
const MAX_RANGES = 8

/** Formats ranges as `record 3 is` or `records 3, 5 to 7 and 11 to 15 are`. */
export function formatRecordNumbers(ranges: readonly RecordRange[], verb = { one: ' is', more: ' are' }): string {
  const rangeTexts = ranges.slice(0, MAX_RANGES).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`))
  const listed = ranges.length > MAX_RANGES ? [...rangeTexts, `${ranges.length - MAX_RANGES} more ranges`] : rangeTexts
  const last = listed.at(-1) ?? ''
  const list = listed.length > 1 ? `${listed.slice(0, -1).join(', ')} and ${last}` : last
  const isOne = ranges.length === 1 && ranges[0]?.from === ranges[0]?.to
  return isOne ? `record ${list}${verb.one}` : `records ${list}${verb.more}`
}
