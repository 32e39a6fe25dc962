import { spawn } from 'node:child_process'
import { whileOthersType } from './child.js'
import { ownEnv, refuseTree } from './search-path.js'

/**
 * Shows a text in the person's pager (`PAGER`, else less) on this terminal, and waits until they leave it. As with git,
 * less gets `LESS=FRX` unless `LESS` is set: it keeps colours, and exits at once if the text fits the screen.
 * @returns false if there is no such pager, so that nobody saw the text
 * @throws EscrowError `unsupported` for a pager in a workspace
 */
export async function showPaged(text: string, env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const pager = env.PAGER || 'less'
  refuseTree('PAGER', pager)
  // In a shell, as git does: the variable may have options.
  const child = spawn('/bin/sh', ['-c', pager], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...ownEnv(env), LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  })
  // A reader who leaves early closes the pipe.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  return whileOthersType(
    () =>
      new Promise((resolve) => {
        child.once('error', () => resolve(false))
        child.once('close', (code) => resolve(code !== 126 && code !== 127))
      }),
  )
}
