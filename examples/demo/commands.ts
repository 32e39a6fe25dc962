import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

const project = fileURLToPath(new URL('../../', import.meta.url))

/** Runs the `escrow` command in a process of its own: the built one, or the source where nothing is built. */
export function escrow(root: string, args: readonly string[]): Ran {
  const built = `${project}dist/src/cli/main.js`
  const program = existsSync(built) ? [built] : ['--import', `${project}ts-node.mjs`, `${project}src/cli/main.ts`]
  const colour = process.env.NO_COLOR === undefined ? { FORCE_COLOR: '1' } : {}
  return run(process.execPath, [...program, '-C', root, ...args], project, { ...process.env, ...colour })
}

/** Runs git in the workspace, whatever the caller's own git settings and environment are. */
export function git(root: string, ...args: string[]): Ran {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  const identity = ['-c', 'user.name=A Person', '-c', 'user.email=person@example.com', '-c', 'core.autocrlf=false']
  const own = { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const ran = run('git', [...identity, ...args], root, own)
  if (ran.status !== 0) throw new Error(`git ${args.join(' ')} failed: ${ran.stderr}`)
  return ran
}

/** Installs git where the machine has none and lets us; throws with what to do elsewhere. */
export function ensureGit(): void {
  const ran = run(process.execPath, [`${project}scripts/ensure-git.mjs`], project, process.env)
  if (ran.status !== 0) throw new Error(ran.stderr.trim())
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (error !== undefined) throw error
  return { status: status ?? -1, stdout, stderr }
}
