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
