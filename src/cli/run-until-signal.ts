import { constants } from 'node:os'
import { EXIT } from './context.js'

/** Signals of keys typed at the terminal. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT'] as const
const TERMINATION_SIGNALS = ['SIGTERM', 'SIGHUP'] as const
const ENDING_SIGNALS = ['SIGINT', ...TERMINATION_SIGNALS] as const

/** Runs `work` with a signal that SIGINT, SIGTERM or SIGHUP aborts, and waits for it to end, so that acknowledged writes are on disk. */
export function runUntilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runWithSignals(ENDING_SIGNALS, [], work)
}

/**
 * The exit code of a command whose program was ended early, as of a shell: 128 and the number of the signal that `signal` was aborted
 * by, or 1 if the program was ended for another reason.
 */
export function exitCodeAfter({ reason }: AbortSignal): number {
  const name = ENDING_SIGNALS.find((each) => each === reason)
  return name === undefined ? EXIT.refused : exitCodeOf(name)
}

/** The exit code of a program that a signal ended, as shells report it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Resolves once `signal` aborts, also if it already has. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve())
  })
}

/** {@link runUntilSignal} for a program that uses this terminal. Ignores SIGINT and SIGQUIT, which go to the program. */
export function runUntilTerminated<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runWithSignals(TERMINATION_SIGNALS, TERMINAL_SIGNALS, work)
}

async function runWithSignals<T>(
  ending: readonly NodeJS.Signals[],
  ignored: readonly NodeJS.Signals[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const end = (signal: NodeJS.Signals) => controller.abort(signal)
  const ignore = () => undefined
  for (const signal of ending) process.on(signal, end)
  for (const signal of ignored) process.on(signal, ignore)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of ending) process.off(signal, end)
    for (const signal of ignored) process.off(signal, ignore)
  }
}
