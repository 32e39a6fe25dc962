import { attemptIn } from '../attempt-in.js'
import type { Containment } from '../containment.js'
import { openSeatbelt } from './place.js'

/**
 * A copy under macOS's Seatbelt. It has not been run on a Mac: `keeps` lists the protections that its profile is
 * written for, and the suites on Linux test only the text of the profile. It has fewer protections than policy requires
 * by default, so it runs commands only if a person has accepted that.
 */
export const seatbeltCopy: Containment = {
  name: 'seatbelt-copy',
  title: 'a cloned copy, Seatbelt (not run on a Mac)',
  keeps: ['write_fence', 'read_mask', 'network_off', 'process_fence'],
  tree: 'copy',
  caution: 'not run on a Mac',
  cannot: [
    'It was never run on a Mac by those who wrote it.',
    'It has no git of its own where the repository is outside the workspace, as in a linked worktree.',
    'It does not see what others stage while it runs.',
    'A process that leaves its group outlives the command, and nothing limits its processes and memory.',
    'A command sees the workspace at another path, and cannot share the terminal.',
    'A client has no directories of its own in the home.',
  ],
  attempt: () => attemptIn(openSeatbelt, { what: 'Seatbelt', fix: 'Use macOS with /usr/bin/sandbox-exec.' }),
  open: openSeatbelt,
}

/**
 * Windows by contract: the protections that a provider over mxc must have. It runs nothing, and names the alternative.
 */
export const mxcContract: Containment = {
  name: 'mxc-contract',
  title: 'refused on Windows: a contract only',
  keeps: [
    'write_fence',
    'read_mask',
    'network_off',
    'process_fence',
    'process_end',
    'call_filter',
    'process_limit',
    'memory_limit',
  ],
  tree: 'copy',
  caution: 'refused on Windows',
  cannot: ['It runs no command.'],
  attempt: async () => ({ works: false, failure: ON_WINDOWS }),
  open: async () => {
    throw new Error(`${ON_WINDOWS.problem} ${ON_WINDOWS.fix}`)
  },
}

const ON_WINDOWS = {
  what: 'Windows',
  problem: 'Commands are refused on Windows: no provider of it is written.',
  fix: 'Run escrow in WSL2, the Linux of Windows.',
}
