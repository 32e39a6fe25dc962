import type { FailedCheck } from './checks.js'
import type { Unfit } from './prepare.js'

/** Characters of a reason. An agent reads it as the result of a tool. */
const MAX_REASON = 12_000

export function unfitReason(branch: string, { reason }: Unfit): string {
  return truncate(
    `Not landed on ${branch}. ${reason}`,
    '\n\nTo land it, write a version that also contains what the branch has. It is reviewed again.',
  )
}

export function checkReason(branch: string, { run, how, output }: FailedCheck): string {
  const [head, tail] = [
    `Not landed on ${branch}: \`${run.slice(0, 500)}\` failed with the changes on its tip (${how}).\n`,
    output.trim(),
  ]
  // The end of the output is the most informative part.
  const room = MAX_REASON - head.length
  return `${head}${tail.length > room ? `…${tail.slice(1 - room)}` : tail}`
}

export function declinedReason(branch: string, why: string): string {
  return truncate(`Not landed on ${branch}: the git server refuses it. ${why.trim()}`, '')
}

function truncate(text: string, end: string): string {
  const room = MAX_REASON - end.length
  return `${text.length > room ? `${text.slice(0, room - 1)}…` : text}${end}`
}
