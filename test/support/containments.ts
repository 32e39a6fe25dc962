import { DEFAULT_REQUIRED } from '../../src/core/protection.js'
import type { Containment } from '../../src/terminal/containment.js'

/**
 * For `vi.mock` of `src/terminal/containments.js`: a machine where namespaces are refused and nothing else contains
 * commands.
 */
export function refusingMachine(): { CONTAINMENTS: readonly Containment[] } {
  const failure = { what: 'user namespaces', problem: 'not permitted', fix: 'allow them' }
  return { CONTAINMENTS: [fakeContainment({ attempt: async () => ({ works: false, failure }) })] }
}

/**
 * For `vi.mock` of `src/terminal/remembered-attempts.js`: this suite's machine differs from the one with recorded
 * attempts.
 */
export function noMemory() {
  return { recallAttempt: () => undefined, rememberAttempt: () => undefined, forgetAttempt: () => undefined }
}

/** A containment that has the protections that policy requires by default, and works, except for the given fields. */
export function fakeContainment(overrides: Partial<Containment>): Containment {
  const whole: Containment = {
    name: 'namespace-overlay',
    title: 'a fake',
    keeps: DEFAULT_REQUIRED,
    tree: 'overlay',
    cannot: [],
    attempt: async () => ({ works: true }),
    open: async () => {
      throw new Error('It opens no place.')
    },
  }
  return Object.assign(whole, overrides)
}
