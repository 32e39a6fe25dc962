#!/usr/bin/env node
import { wantsColor } from './color.js'
import type { Io } from './context.js'
import { run } from './run.js'

/** The package's, put here by the bundler (`scripts/bundle.mjs`). */
declare const ESCROW_VERSION: string

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: process.stdin.isTTY === true,
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: ESCROW_VERSION,
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run(process.argv.slice(2), io, async () => (await import('./library.js')).library)
