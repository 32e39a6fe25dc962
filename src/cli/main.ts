#!/usr/bin/env node
import { createRequire } from 'node:module'
import { wantsColor } from './color.js'
import type { Io } from './context.js'
import { run } from './run.js'

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: process.stdin.isTTY === true,
  color: wantsColor(process.env, process.stdout.isTTY === true),
  get version() {
    const manifest: { version: string } = createRequire(import.meta.url)('escrowfs/package.json')
    return manifest.version
  },
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run(process.argv.slice(2), io, () => import('../index.js'))
