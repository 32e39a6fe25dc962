#!/usr/bin/env node
import { createRequire } from 'node:module'
import type { Io } from './context.js'
import { run } from './run.js'

const require = createRequire(import.meta.url)
const { version }: { version: string } = require('escrowfs/package.json')

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  cwd: process.cwd(),
  color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  version,
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

process.exitCode = await run(process.argv.slice(2), io, () => import('../index.js'))
