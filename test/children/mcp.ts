import { run } from '../../src/cli/run.js'

/** `escrow mcp`, as its users start it. */
const io = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: false,
  color: false,
  version: '1.2.3',
}

process.exitCode = await run(['mcp', ...process.argv.slice(2)], io, () => import('../../src/index.js'))
