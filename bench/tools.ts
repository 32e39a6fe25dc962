import { spawnSync } from 'node:child_process'

/** Programs to compare with, where the machine has them. */

const NEUTRAL = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

/** The version a program says it has; undefined when it cannot be run. */
export function toolVersion(name: string): string | undefined {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown version') : undefined
}

/** @throws Error with what the program said, when it fails. */
export function runTool(name: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    encoding: 'utf8',
    cwd,
    maxBuffer: 1 << 26,
    env: { ...process.env, ...NEUTRAL },
  })
  if (status === 0) return stdout
  throw new Error(`${name} failed: ${error?.message ?? stderr.trim()}`)
}
