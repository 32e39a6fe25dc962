import { spawnSync } from 'node:child_process'

/** Checks for the system programs that the suites run. Fails with the packages to install. */
export default function setup(): void {
  const args = [
    'scripts/ensure-tools.mjs',
    'git',
    ...(process.platform === 'linux' ? ['bwrap', 'tmux', 'chromium'] : []),
  ]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('A program of the system is missing: see above.')
}
