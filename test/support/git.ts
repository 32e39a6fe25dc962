import { execFileSync } from 'node:child_process'

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false']

/** Runs git as Ada, without the machine's settings. Returns its output. */
export function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execFileSync('git', [...IDENTITY, ...args], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Commits all files. */
export function commitAll(root: string): void {
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '--allow-empty', '-m', 'work')
}
