import { ERRNO_ADVICE } from '../core/errno-advice.js'
import type { Attempt } from '../core/protection.js'

/**
 * What an attempt says if the machine lacked something at that moment, and what a person can do. `No space left on device` without
 * Node's code is the kernel's word for too many namespaces, which the machine's settings decide.
 */
const SHORTAGES: readonly (readonly [RegExp, string])[] = [
  [/Cannot fork|Resource temporarily unavailable|EAGAIN/i, ERRNO_ADVICE.EAGAIN],
  [/Cannot allocate memory|ENOMEM|exited with null/i, ERRNO_ADVICE.ENOMEM],
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
