import { ERRNO_ADVICE } from '../core/errno-advice.js'
import type { Attempt } from '../core/protection.js'

/**
 * What an attempt says if the machine lacked something at that moment, and what a person can do. `No space left on device` without
 * Node's code is the kernel's message for too many namespaces, which the machine's settings decide.
 */
const SHORTAGES: readonly (readonly [RegExp, string])[] = [
  [/Cannot fork|Resource temporarily unavailable|EAGAIN|stopped: processes/i, ERRNO_ADVICE.EAGAIN],
  // The kernel ends a process with SIGKILL, exit code 137, if memory is used up.
  [/Cannot allocate memory|ENOMEM|stopped: memory|ended by SIGKILL|exited with 137/i, ERRNO_ADVICE.ENOMEM],
  [/stopped: timeout|ETIMEDOUT/, 'The machine is too busy. End other programs, then try again.'],
  [/Too many open files|EMFILE/i, ERRNO_ADVICE.EMFILE],
  [/ENOSPC|EDQUOT/, ERRNO_ADVICE.ENOSPC],
]

/** Marks the failure of an attempt that would work if the machine had enough processes, memory, files or space. */
export function markShortage(attempt: Attempt): Attempt {
  if (attempt.works) return attempt
  const { failure } = attempt
  const fix = SHORTAGES.find(([text]) => text.test(failure.problem))?.[1]
  return fix === undefined ? attempt : { works: false, failure: { ...failure, fix, isShortage: true } }
}
