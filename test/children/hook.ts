import { run } from '../../src/cli/run.js'

/** `escrow` as a client starts it for a hook, wherever the package is. */
const io = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: false,
  color: false,
  version: '0',
}
process.exitCode = await run(['hook', ...process.argv.slice(2)], io, () => import('../../src/index.js'))
