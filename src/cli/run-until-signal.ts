import { InvalidArgumentError } from 'commander'

export function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Give a port: a whole number from 0 to 65535.')
  return port
}

/** What is typed at a terminal, and so meant for whoever works in it. */
const TYPED = ['SIGINT', 'SIGQUIT'] as const
const SENT = ['SIGTERM', 'SIGHUP'] as const

/** Who ends us is waited for by what was begun: all that was acknowledged is on the disk then. */
export function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runUntilSignal(['SIGINT', ...SENT], [], work)
}

/** As {@link untilSignal} for a program that has our terminal: what is typed there is for it alone. */
export function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return runUntilSignal(SENT, TYPED, work)
}

async function runUntilSignal<T>(
  ending: readonly NodeJS.Signals[],
  unheard: readonly NodeJS.Signals[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const end = () => controller.abort()
  const deaf = () => undefined
  for (const signal of ending) process.on(signal, end)
  for (const signal of unheard) process.on(signal, deaf)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of ending) process.off(signal, end)
    for (const signal of unheard) process.off(signal, deaf)
  }
}
