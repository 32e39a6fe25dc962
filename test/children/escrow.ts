import { wantsColor } from '../../src/cli/color.js'
import { run } from '../../src/cli/run.js'

/** `escrow` as its users and their clients start it, wherever the package is. */
const io = {
  out: (text: string) => process.stdout.write(text),
  err: (text: string) => process.stderr.write(text),
  cwd: process.cwd(),
  terminal: process.stdin.isTTY === true,
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: '1.2.3',
}
process.exitCode = await run(process.argv.slice(2), io, () => import('../../src/index.js'))
