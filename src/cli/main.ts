#!/usr/bin/env node
import type { Asking } from './asking.js'
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
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { ask }),
  ...(process.stdout.isTTY === true && { columns: process.stdout.columns, page }),
}

async function ask(): Promise<Asking> {
  const { asking } = await import('./asking.js')
  return asking
}

/** What fits the screen needs no pager, and where there is none the terminal itself is scrolled. */
async function page(text: string): Promise<void> {
  if (text.split('\n').length < process.stdout.rows) return void process.stdout.write(text)
  const { showPaged } = await import('../index.js')
  if (!(await showPaged(text))) process.stdout.write(text)
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run(process.argv.slice(2), io, async () => (await import('./library.js')).library)
