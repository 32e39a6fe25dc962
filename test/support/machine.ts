import { spawnSync } from 'node:child_process'

const EVERYWHERE = ['git', 'perl', 'python3', 'openssl', 'ssh-keygen', 'ssh-agent']
/** The last is the kernel's list of system calls. */
const ON_LINUX = ['bwrap', 'tmux', 'chromium', 'prlimit', 'pgrep', '/usr/include/asm-generic/unistd.h']

/** Set once the programs were found, because vitest calls this for each of its projects. */
const IS_CHECKED = 'ESCROWFS_TEST_MACHINE_IS_CHECKED'

/** Checks for the system programs that the suites run. Fails with the packages to install. */
export default function setup(): void {
  if (process.env[IS_CHECKED] !== undefined) return
  ensureTools(...EVERYWHERE, ...(process.platform === 'linux' ? ON_LINUX : []))
  process.env[IS_CHECKED] = 'yes'
}

/** @throws Error if a program, or a file named by its path, is missing and cannot be installed. */
export function ensureTools(...programs: readonly string[]): void {
  const { status } = spawnSync(process.execPath, ['scripts/ensure-tools.mjs', ...programs], { stdio: 'inherit' })
  if (status !== 0) throw new Error('A program of the system is missing: see above.')
}
