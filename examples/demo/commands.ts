import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface CommandResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

const project = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Finds the script of the `escrow` command in `dist/`. If it is missing or older than the source, bundles the source for this run
 * below `home`, because starting ten processes from TypeScript takes longer than the whole demo.
 */
export function findEscrow(home: string): string {
  if (isBuilt(project)) return `${project}dist/src/cli/main.js`
  copyFileSync(`${project}package.json`, `${home}/package.json`)
  symlinkSync(`${project}node_modules`, `${home}/node_modules`, 'junction')
  const result = run(process.execPath, [`${project}scripts/bundle.mjs`, `${home}/dist/src/cli`], project, process.env)
  if (result.status !== 0) throw new Error(`The source cannot be built: ${result.stdout}${result.stderr}`)
  return `${home}/dist/src/cli/main.js`
}

/** True if `dist/` of a project has the command and no source is newer. */
export function isBuilt(project: string): boolean {
  const built = statSync(`${project}dist/src/cli/main.js`, { throwIfNoEntry: false })
  if (built === undefined) return false
  const sources = ['src', 'overlay'].flatMap((folder) => {
    const names = readdirSync(`${project}${folder}`, { recursive: true, encoding: 'utf8' })
    return [folder, ...names.map((name) => `${folder}/${name}`)]
  })
  // Include directories, because a removed file changes only its directory.
  return sources.every((path) => statSync(project + path).mtimeMs <= built.mtimeMs)
}

/**
 * Runs the `escrow` command in a child process, with coloured output unless `NO_COLOR` is set. It is asynchronous because
 * sessions of this process may hold a lock that the command waits for.
 */
export function escrow(
  { root, escrow }: { root: string; escrow: string },
  args: readonly string[],
): Promise<CommandResult> {
  const color = process.env.NO_COLOR ? {} : { FORCE_COLOR: '1' }
  const env = { ...color, ...process.env }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [escrow, '-C', root, ...args], { cwd: project, env })
    const output = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text
    })
    child.once('error', reject)
    child.once('close', (status) => resolve({ status: status ?? -1, ...output }))
  })
}

/** Runs git in the workspace, without the caller's git settings and environment. */
export function git(root: string, ...args: string[]): CommandResult {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  const identity = ['-c', 'user.name=A Person', '-c', 'user.email=person@example.com', '-c', 'core.autocrlf=false']
  const own = { ...env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const result = run('git', [...identity, ...args], root, own)
  if (result.status !== 0) throw new Error(`git ${args.join(' ')} failed: ${result.stderr}`)
  return result
}

/** Installs git if it is missing and can be installed. Otherwise throws with instructions. */
export function ensureGit(): void {
  const result = run(process.execPath, [`${project}scripts/ensure-tools.mjs`, 'git'], project, process.env)
  if (result.status !== 0) throw new Error(result.stderr.trim())
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): CommandResult {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (error !== undefined) throw error
  return { status: status ?? -1, stdout, stderr }
}
