#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { cacheCompiledCode, completeHome, startDirectory } from '../surface/index.js'

/** The package's version. The bundler defines it (`scripts/bundle.mjs`). */
declare const ESCROW_VERSION: string

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

/** The rest of the program loads once its compiled code can be reused: hosts start it for every command. */
async function start(): Promise<number> {
  completeHome()
  cacheCompiledCode({ version: ESCROW_VERSION, entry: fileURLToPath(import.meta.url), command: 'sh' })
  const { runShell } = await import('./shell/run.js')
  return runShell(process.argv.slice(2), io, process.env, async () => {
    const [{ openWorkspace }, { formatRefusals }] = await Promise.all([
      import('../index.js'),
      import('../surface/index.js'),
    ])
    return { openWorkspace, formatRefusals }
  })
}

void start().then((code) => {
  process.exitCode = code
  process.stdin.destroy()
  for (const remove of removeListeners) remove()
  if (received !== undefined) {
    process.kill(process.pid, received)
    // The signal arrives a moment later. Until then this process must not exit.
    setTimeout(() => undefined, 1_000)
  }
})
