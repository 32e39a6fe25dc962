#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { wantsColor } from './color.js'
import type { Io } from './context.js'
import { answerHook, clientOf } from './hook-answer.js'
import type { Asking } from './prompts.js'

/** The package's, put here by the bundler (`scripts/bundle.mjs`). */
declare const ESCROW_VERSION: string

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: process.stdin.isTTY === true,
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: ESCROW_VERSION,
  entry: fileURLToPath(import.meta.url),
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { ask }),
  ...(process.stdout.isTTY === true && { columns: process.stdout.columns, page }),
}

async function ask(): Promise<Asking> {
  const { asking } = await import('./prompts.js')
  return asking
}

/** What fits the screen needs no pager, and where there is none the terminal itself is scrolled. */
async function page(text: string): Promise<void> {
  if (text.split('\n').length < process.stdout.rows) return void process.stdout.write(text)
  const { showPaged } = await import('../surface/index.js')
  if (!(await showPaged(text))) process.stdout.write(text)
}

// A reader that has seen enough (`| head`) is no failure, nor is a terminal that was closed: what was asked for is done all the same.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
  })

/** Clients start a hook for each call of a tool: its line, as they are told it, waits for no parser. */
async function start(argv: readonly string[]): Promise<number> {
  const client = clientOf(argv)
  if (client !== undefined) return answerHook(client, io)
  const { run } = await import('./run.js')
  return run(argv, io, async () => (await import('./library.js')).library)
}

void start(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
