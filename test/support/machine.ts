import { spawnSync } from 'node:child_process'

/** Before the suite: the programs of the system it runs are there, or it ends with what to install. */
export default function setup(): void {
  const args = [
    'scripts/ensure-tools.mjs',
    'git',
    ...(process.platform === 'linux' ? ['bwrap', 'tmux', 'chromium'] : []),
  ]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('A program of the system is missing: see above.')
}
