import { describe, expect, it } from 'vitest'
import { CheckRunner } from '../../../src/cli/review/checks.js'
import type { Event } from '../../../src/cli/review/update.js'
import type { CheckOptions, CheckReport, CheckStatus } from '../../../src/index.js'

const STATUS: CheckStatus = { intentId: 'INT-001', check: { run: 'npm test' }, state: 'passed' }
const REPORT: CheckReport = { selection: 'all', tree: 'sha256:0', checks: [STATUS] }

function runner(check: (options?: CheckOptions) => Promise<CheckReport>, checks = async () => REPORT) {
  const events: Event[] = []
  const checkRunner = new CheckRunner({
    review: { check, checks },
    by: { name: 'Ada' },
    dispatch: (event) => events.push(event),
  })
  return { runner: checkRunner, events }
}

describe('CheckRunner', () => {
  it('names the running check, then the result', async () => {
    const { runner: made, events } = runner(async (options) => {
      expect(options?.by).toEqual({ name: 'Ada' })
      options?.onStart?.(STATUS.check, STATUS.intentId)
      return REPORT
    })
    made.start()
    await made.idle()
    expect(events).toEqual([
      { is: 'checking', running: '…' },
      { is: 'checking', running: 'npm test' },
      { is: 'checked', checks: [STATUS] },
      { is: 'checking', running: undefined },
      { is: 'message', message: { text: '1 check passed.', kind: 'info' } },
    ])
  })

  it('stops when asked, runs once at a time, and can start again', async () => {
    let started = 0
    const { runner: made, events } = runner(
      (options) =>
        new Promise((_, reject) => {
          started += 1
          options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
        }),
    )
    made.start()
    made.start()
    expect(started).toBe(1)
    expect(events.at(-1)).toMatchObject({ message: { text: expect.stringContaining('run already') } })
    made.stop()
    await made.idle()
    expect(events.at(-1)).toEqual({ is: 'message', message: { text: 'The checks were stopped.', kind: 'failed' } })
    made.start()
    expect(started).toBe(2)
    made.stop()
    await made.idle()
  })

  it('explains why evidence cannot be read, and continues without it', async () => {
    const { runner: made, events } = runner(
      async () => REPORT,
      async () => Promise.reject(new Error('damaged')),
    )
    expect(await made.read()).toEqual([])
    expect(events).toEqual([{ is: 'message', message: { text: 'damaged', kind: 'failed' } }])
  })
})

it.each([
  ['the end of a failure', ['passed', 'failed'], { text: '1 of 2 checks failed. npm test: 2 failed', kind: 'failed' }],
  ['how to declare one', [], { text: expect.stringContaining('--check COMMAND'), kind: 'warn' }],
] as const)('the message has %s', async (_, states, message) => {
  const evidence = { output: 'a\n2 failed\n' } as NonNullable<CheckStatus['evidence']>
  const { runner: made, events } = runner(async () => ({
    ...REPORT,
    checks: states.map((state) => ({ ...STATUS, state, evidence })),
  }))
  made.start()
  await made.idle()
  expect(events.at(-1)).toEqual({ is: 'message', message })
})
