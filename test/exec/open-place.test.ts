import { beforeEach, describe, expect, it, vi } from 'vitest'
import { keepsRequired } from '../../src/exec/open-place.js'
import { DEFAULT_SETTINGS } from '../../src/policy/settings.js'
import type { Containment } from '../../src/terminal/containment.js'
import { NO_SPOOL, openCopyPlace } from '../../src/terminal/copy-place.js'
import { fakeContainment } from '../support/containments.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

const machine = vi.hoisted(() => ({ opens: true, isShort: false, forgotten: [] as string[] }))
vi.mock('../../src/terminal/containments.js', () => ({ CONTAINMENTS: [newBrokenContainment()] }))
vi.mock('../../src/terminal/remembered-attempts.js', async () => ({
  ...(await import('../support/containments.js')).noMemory(),
  forgetAttempt: (name: string) => machine.forgotten.push(name),
}))

const SHORT = { what: 'overlay', problem: 'sh: 2: Cannot fork', fix: 'modprobe overlay' }

/**
 * It has the protections that policy requires by default, opens a copy unless the test forbids it, and runs nothing.
 */
function newBrokenContainment(): Containment {
  const run = () => Promise.reject(new Error('It no longer works.'))
  const close = async () => undefined
  return fakeContainment({
    name: 'landlock-copy',
    caution: 'not run here',
    attempt: async () => (machine.isShort ? { works: false, failure: SHORT } : { works: true }),
    open: async ({ root }) => {
      if (!machine.opens) throw new Error('It no longer opens.')
      return openCopyPlace(root, {
        isolation: 'sandbox',
        startsWith: 'command',
        isAlive: true,
        run,
        close,
        ...NO_SPOOL,
      })
    },
  })
}

const intentsWith = (check: string) => `active_intents:
  - id: INT-001
    name: Everything
    status: IN_PROGRESS
    owned_scope: ["**"]
    acceptance_criteria: [{ ${check} }]
`
const POLICY = { '.orchestration/policy.yaml': 'terminal: { network: [example.com] }\n' }

beforeEach(() => {
  machine.opens = true
  machine.isShort = false
  machine.forgotten.splice(0)
})

async function site(check = 'run: "true"') {
  const workspace = await testWorkspace(POLICY, intentsWith(check)).open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('a.txt', 'new\n')
  return { session, review: await workspace.review(session.id) }
}

describe('a command that may reach some hosts', () => {
  it('does not run in a containment that cannot allow single hosts', async () => {
    const { session } = await site()
    const refused = await failure(() => session.exec('true', { network: true }))
    expect(refused.reason).toBe('unsupported')
    expect(refused.message).toContain('network_by_host')
    // With the information that a person needs.
    expect(refused.message).toContain('landlock-copy (not run here) lacks network_by_host.')
  })

  it('needs another mount than the open one, if that cannot allow single hosts', () => {
    const policy = { settings: () => DEFAULT_SETTINGS }
    const containment = fakeContainment({})
    expect(keepsRequired(containment, policy, { network: true })).toBe(true)
    expect(keepsRequired(containment, policy, { network: ['example.com'] })).toBe(false)
  })

  it('is refused as a check too', async () => {
    const { review } = await site('run: "true", network: [example.com]')
    const refused = await failure(() => review.check())
    expect(refused.message).toContain('network_by_host')
  })
})

describe('a containment that worked when it was probed, and no longer does', () => {
  it('is probed again for the command after the one that failed', async () => {
    const { session } = await site()
    await expect(session.exec('true')).rejects.toThrow('It no longer works.')
    expect(machine.forgotten).toEqual(['landlock-copy'])
  })

  it('is probed again after it failed to open, by the command and by a check', async () => {
    const { session, review } = await site()
    machine.opens = false
    await expect(session.exec('true')).rejects.toThrow('It no longer opens.')
    expect(machine.forgotten).toEqual(['landlock-copy'])
    await expect(review.check()).rejects.toThrow('It no longer opens.')
    expect(machine.forgotten).toEqual(['landlock-copy', 'landlock-copy'])
  })

  it('is probed again after a check that failed to run', async () => {
    const { review } = await site()
    await expect(review.check()).rejects.toThrow('It no longer works.')
    expect(machine.forgotten).toEqual(['landlock-copy'])
  })
})

describe('a machine that can start no further process', () => {
  it('refuses the command, also if policy allows it without containment', async () => {
    machine.isShort = true
    const policy = { '.orchestration/policy.yaml': 'terminal: { isolation_none: true }\n' }
    const session = await startSession(await testWorkspace(policy).open())
    const refused = await failure(() => session.exec('true'))
    expect(refused).toMatchObject({
      reason: 'limit_exceeded',
      message: 'Commands cannot be contained at the moment (overlay): sh: 2: Cannot fork',
      hint: expect.stringMatching(/^Too many processes run\./),
    })
  })
})
