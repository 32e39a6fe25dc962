import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'

const SCRIPT = `
import { closeSync, openSync } from 'node:fs'
import { startOwn, startProgram } from '${compileOnce()}/src/os/child.js'
const open = []
try {
  for (;;) open.push(openSync('/dev/null'))
} catch {}
closeSync(open.pop())
const starts = [
  () => startProgram('true', [], ['pipe', 'pipe', 'pipe', 'pipe']),
  () => startOwn(['true'], { cwd: '/', env: {}, stdio: 'pipe' }, false),
]
const messages = starts.map((start) => {
  try {
    return start() && 'started'
  } catch ({ reason, message }) {
    return reason + ': ' + message
  }
})
for (const fd of open) closeSync(fd)
await new Promise((resolve) => setTimeout(resolve, 1))
console.log(messages.join('\\n'))
`

it('a program that cannot be started for too many open files is an error, and does not end this process', () => {
  const limited = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, SCRIPT]
  const { stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8' })
  const message = 'limit_exceeded: true cannot be started: too many files are open (EMFILE).\n'
  expect([stdout, stderr]).toEqual([message + message, ''])
})
