import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEvent } from '../../../src/agents/claude/event-schema.js'
import { plainToolEvent } from '../../../src/agents/claude/plain-event.js'

/** Mostly the right type, so that many events are ordinary. */
const usually = (right: fc.Arbitrary<unknown>) => fc.oneof({ weight: 30, arbitrary: right }, fc.jsonValue())

const events = fc.record(
  {
    hook_event_name: usually(fc.constantFrom('PreToolUse', 'PermissionRequest', 'PostToolUse', 'Stop', 'Other')),
    session_id: usually(fc.string({ minLength: 1 })),
    cwd: usually(fc.string({ minLength: 1 })),
    transcript_path: usually(fc.string({ minLength: 1 })),
    tool_name: usually(fc.string({ minLength: 1 })),
    tool_input: usually(fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue())),
    tool_use_id: usually(fc.string({ minLength: 1 })),
    other: fc.jsonValue(),
  },
  { requiredKeys: ['hook_event_name', 'session_id', 'cwd', 'tool_name', 'tool_input'] },
)

describe('plainToolEvent', () => {
  it('returns the same as the schema, or undefined', () => {
    let plain = 0
    fc.assert(
      fc.property(events, (event) => {
        const value: unknown = JSON.parse(JSON.stringify(event))
        const read = plainToolEvent(value)
        if (read === undefined) return
        plain++
        expect(read).toStrictEqual(parseEvent(value))
      }),
      { numRuns: 1_000 },
    )
    expect(plain).toBeGreaterThan(100)
  })

  it('returns undefined for every other value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(plainToolEvent(value)).toBeUndefined()
      }),
    )
  })
})
