import { expect, it, vi } from 'vitest'
import { parseTime } from '../../src/cli/parse-time.js'

const NOW = Date.parse('2026-11-22T12:00:00Z')

it.each([
  ['now', '2026-11-22T12:00:00.000Z'],
  ['yesterday', '2026-11-21T12:00:00.000Z'],
  ['3d', '2026-11-19T12:00:00.000Z'],
  ['2 hours ago', '2026-11-22T10:00:00.000Z'],
  ['1 week ago', '2026-11-15T12:00:00.000Z'],
  ['30 minutes', '2026-11-22T11:30:00.000Z'],
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2026-11-01T10:00', '2026-11-01T10:00:00.000Z'],
  ['2026-11-01 10:00:30', '2026-11-01T10:00:30.000Z'],
  ['2026-11-01t10:00:00.250z', '2026-11-01T10:00:00.250Z'],
  ['2026-11-01T10:00+0530', '2026-11-01T04:30:00.000Z'],
  ['2026-11-01T10:00:00+02:00', '2026-11-01T08:00:00.000Z'],
])('reads %s, in any time zone', (text, iso) => {
  for (const zone of ['UTC', 'Asia/Kathmandu', 'Pacific/Apia', 'America/Sao_Paulo']) {
    vi.stubEnv('TZ', zone)
    expect(new Date(parseTime(text, NOW)).toISOString()).toBe(iso)
  }
  vi.unstubAllEnvs()
})

it.each(['', 'soon', '3', '3x', '11/22/2026', '2026-13-01', '2026-02-30', '2026-11-01 foo', '-3d'])(
  'refuses %j',
  (text) => {
    expect(() => parseTime(text, NOW)).toThrow('Give a date such as')
  },
)
