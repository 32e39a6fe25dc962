import { InvalidArgumentError } from 'commander'

export function parsePort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Give a port: a whole number from 0 to 65535.')
  return port
}

/** Starts a server. The error of a port that it cannot use names the option that gives another one. */
export async function startOnPort<T>(option: '--port' | '--http', start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const { code, port } = { code: undefined, port: undefined, ...(error instanceof Error ? error : {}) }
    const why = WHY_NO_PORT.get(code)
    if (why === undefined) throw error
    const hint = `Give another port with '${option} PORT'. Without a port, escrow takes a free one.`
    throw Object.assign(new Error(`Port ${port} cannot be used: ${why}`, { cause: error }), { hint })
  }
}

const WHY_NO_PORT: ReadonlyMap<unknown, string> = new Map([
  ['EADDRINUSE', 'another program uses it, perhaps a server of escrow that already runs.'],
  ['EACCES', 'your user may not use it.'],
])

/** Signals of keys typed at the terminal. */
const TERMINAL_SIGNALS = ['SIGINT', 'SIGQUIT'] as const
const TERMINATION_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** Runs `work` with a signal that SIGINT, SIGTERM or SIGHUP aborts, and waits for it to end, so that acknowledged writes are on disk. */
export function runUntilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runWithSignals(['SIGINT', ...TERMINATION_SIGNALS], [], work)
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
  const end = () => controller.abort()
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
