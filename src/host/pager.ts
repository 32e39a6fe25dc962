import { spawn } from 'node:child_process'
import { ownEnv, refuseTree } from './search-path.js'

/**
 * Shows a text in the pager a person has chosen (`PAGER`, else less), on this terminal, and waits until they leave it. As with git: less
 * is told by `LESS=FRX`, unless that is set, to keep colours and to end by itself where the text fits the screen.
 * @returns false where there is no such pager, so that nobody saw the text.
 * @throws EscrowError `unsupported` for a pager that lies in a workspace
 */
export async function showPaged(text: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const pager = env.PAGER || 'less'
  refuseTree('PAGER', pager)
  // By a shell, as git does: the variable may hold options.
  const child = spawn('/bin/sh', ['-c', pager], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...ownEnv(env), LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  })
  // Who is done reads no further.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  // Ctrl-C is the pager's, which goes on.
  const deaf = () => undefined
  process.on('SIGINT', deaf)
  try {
    return await new Promise((resolve) => {
      child.once('error', () => resolve(false))
      child.once('close', (code) => resolve(code !== 126 && code !== 127))
    })
  } finally {
    process.off('SIGINT', deaf)
  }
}
