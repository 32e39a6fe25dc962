import { InvalidArgumentError } from 'commander'

export function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is expected.')
  return port
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Who ends us is waited for by what was begun: all that was acknowledged is on the disk then. */
export async function untilEnded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const end = () => controller.abort()
  for (const signal of ENDING) process.on(signal, end)
  try {
    await work(controller.signal)
  } finally {
    for (const signal of ENDING) process.off(signal, end)
  }
}
