import { InvalidArgumentError } from 'commander'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * Parses a time: `2026-11-22`, `2026-11-22T10:00`, `3d`, `2 weeks ago`, `yesterday`. A date or time without an offset is UTC, as the
 * log prints it, in any time zone of the machine.
 * @returns milliseconds since 1970
 * @throws InvalidArgumentError for any other text
 */
export function parseTime(text: string, now = Date.now()): number {
  const word = text.trim().toLowerCase()
  if (word === 'now') return now
  if (word === 'yesterday') return now - 86_400_000
  const [, count, unit] = /^(\d{1,6}) ?(?:(m|h|d|w)|(?:min(?:ute)?|hour|day|week)s?)(?: ago)?$/.exec(word) ?? []
  const size = UNITS[unit ?? /[a-z]/.exec(word)?.[0] ?? '']
  if (count !== undefined && size !== undefined) return now - Number(count) * size
  const at = parseDate(text.trim())
  if (Number.isNaN(at))
    throw new InvalidArgumentError("Give a date such as '2026-11-22', or an age such as '3d' or '2 hours ago'.")
  return at
}

/** NaN for any other text. `Date.parse` takes a time without an offset as local, and 30 February as 2 March. */
function parseDate(text: string): number {
  const [, date = '', time = '', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text) ?? []
  const day = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date) return Number.NaN
  return time === '' ? day : Date.parse(`${date}T${time}${offset.toUpperCase().replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`)
}
