#!/usr/bin/env node
import { runShell } from './shell/run.js'

/** Signals a host ends a shell by: the command ends, and then so does this process. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const stop = new AbortController()
let received: (typeof SIGNALS)[number] | undefined
const heard = SIGNALS.map((signal) => {
  const hear = () => {
    received ??= signal
    stop.abort()
  }
  process.on(signal, hear)
  return () => process.removeListener(signal, hear)
})

// What cannot be read, a directory say, is no input.
process.stdin.on('error', () => undefined)

// Nobody reads any more: the command has nothing to go on for.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort())

const io = {
  cwd: process.cwd(),
  stdin: process.stdin.isTTY ? undefined : process.stdin,
  write: (chunk: Uint8Array, stream: 'stdout' | 'stderr') =>
    void (stream === 'stdout' ? process.stdout.write(chunk) : process.stderr.write(chunk)),
  signal: stop.signal,
}

void runShell(process.argv.slice(2), io, process.env, async () => {
  const [{ openWorkspace }, { formatRefusals }] = await Promise.all([
    import('../index.js'),
    import('../surface/index.js'),
  ])
  return { openWorkspace, formatRefusals }
}).then((code) => {
  process.exitCode = code
  process.stdin.destroy()
  for (const forget of heard) forget()
  if (received !== undefined) {
    process.kill(process.pid, received)
    // It arrives a moment later; until then this process must not end in another way.
    setTimeout(() => undefined, 1_000)
  }
})
