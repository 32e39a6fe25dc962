#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { cacheCompiledCode, completeHome, startDirectory } from '../surface/index.js'
import { wantsColor } from './color.js'
import type { Io } from './context.js'
import type { Prompts } from './prompts.js'

/** The package's version. The bundler defines it (`scripts/bundle.mjs`). */
declare const ESCROW_VERSION: string

const entry = fileURLToPath(import.meta.url)
const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  get cwd() {
    return startDirectory()
  },
  terminal: process.stdin.isTTY === true,
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: ESCROW_VERSION,
  entry,
  ...(process.stdin.isTTY === true && process.stderr.isTTY === true && { ask }),
  ...(process.stdout.isTTY === true && { columns: process.stdout.columns, page }),
}

async function ask(): Promise<Prompts> {
  const { prompts } = await import('./prompts.js')
  return prompts
}

/** Pages a text that does not fit the screen. Prints it if it fits or no pager is installed. */
async function page(text: string): Promise<void> {
  if (text.split('\n').length < process.stdout.rows) return void process.stdout.write(text)
  const { showPaged } = await import('../surface/index.js')
  if (!(await showPaged(text))) process.stdout.write(text)
}

let isOutputLost = false

// A closed pipe (`| head`) or terminal is not an error. A full disk is one. The command still runs to its end.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (isOutputLost || code === 'EPIPE' || code === 'EIO') return
    isOutputLost = true
    process.exitCode ||= 1
    if (stream === process.stdout) process.stderr.write(`escrow: The output cannot be written: ${message}\n`)
  })

/** Fast path: hooks run for every tool call, so they skip Commander. */
async function start(argv: readonly string[]): Promise<number> {
  completeHome()
  cacheCompiledCode({ version: ESCROW_VERSION, entry, command: argv[0] })
  const { answerHook, hookClient } = await import('./hook-answer.js')
  const client = hookClient(argv)
  if (client !== undefined) return answerHook(client, io)
  const { run } = await import('./run.js')
  return run(argv, io, async () => (await import('./library.js')).library)
}

void start(process.argv.slice(2)).then((code) => {
  process.exitCode = isOutputLost ? code || 1 : code
})
