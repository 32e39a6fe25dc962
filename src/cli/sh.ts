#!/usr/bin/env node
import { completeHome, startDirectory } from '../surface/index.js'
import { runShell } from './shell/run.js'

/** Signals that end the command, and then this process. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const stop = new AbortController()
let received: (typeof SIGNALS)[number] | undefined
const removeListeners = SIGNALS.map((signal) => {
  const onSignal = () => {
    received ??= signal
    stop.abort()
  }
  process.on(signal, onSignal)
  return () => process.removeListener(signal, onSignal)
})

// An unreadable stdin, such as a directory, counts as empty.
process.stdin.on('error', () => undefined)

// Nobody reads the output any more, so stop the command.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort())

const io = {
  get cwd() {
    return startDirectory()
  },
  stdin: process.stdin.isTTY ? undefined : process.stdin,
  write: (chunk: Uint8Array, stream: 'stdout' | 'stderr') =>
    void (stream === 'stdout' ? process.stdout.write(chunk) : process.stderr.write(chunk)),
  signal: stop.signal,
}

completeHome()
void runShell(process.argv.slice(2), io, process.env, async () => {
  const [{ openWorkspace }, { formatRefusals }] = await Promise.all([
    import('../index.js'),
    import('../surface/index.js'),
  ])
  return { openWorkspace, formatRefusals }
}).then((code) => {
  process.exitCode = code
  process.stdin.destroy()
  for (const remove of removeListeners) remove()
  if (received !== undefined) {
    process.kill(process.pid, received)
    // The signal arrives a moment later. Until then this process must not exit.
    setTimeout(() => undefined, 1_000)
  }
})
