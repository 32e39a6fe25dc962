import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Ran {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

const project = fileURLToPath(new URL('../../', import.meta.url))

/**
 * The `escrow` command's script: the built one. Where `dist/` is missing or older than the source, that is bundled for this run
 * below `home`: once, because starting ten processes from TypeScript takes longer than the whole demo.
 */
export function findEscrow(home: string): string {
  if (isBuilt(project)) return `${project}dist/src/cli/main.js`
  copyFileSync(`${project}package.json`, `${home}/package.json`)
  symlinkSync(`${project}node_modules`, `${home}/node_modules`, 'junction')
  const ran = run(process.execPath, [`${project}scripts/bundle.mjs`, `${home}/dist/src/cli`], project, process.env)
  if (ran.status !== 0) throw new Error(`The source cannot be built: ${ran.stdout}${ran.stderr}`)
  return `${home}/dist/src/cli/main.js`
}

/** True where `dist/` of a project has the command, and no source is newer than it. */
export function isBuilt(project: string): boolean {
  const built = statSync(`${project}dist/src/cli/main.js`, { throwIfNoEntry: false })
  if (built === undefined) return false
  const sources = ['src', 'overlay'].flatMap((folder) => {
    const names = readdirSync(`${project}${folder}`, { recursive: true, encoding: 'utf8' })
    return [folder, ...names.map((name) => `${folder}/${name}`)]
  })
  // Directories count too: a file that went leaves no other trace.
  return sources.every((path) => statSync(project + path).mtimeMs <= built.mtimeMs)
}

/**
 * Runs the `escrow` command in a process of its own, its output in colour unless `NO_COLOR` asks for none. This process
 * goes on meanwhile: its sessions may hold a lock that the command waits for.
 */
export function escrow({ root, escrow }: { root: string; escrow: string }, args: readonly string[]): Promise<Ran> {
  const color = process.env.NO_COLOR ? {} : { FORCE_COLOR: '1' }
  const env = { ...color, ...process.env }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [escrow, '-C', root, ...args], { cwd: project, env })
    const said = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text
    })
    child.once('error', reject)
    child.once('close', (status) => resolve({ status: status ?? -1, ...said }))
  })
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
  const ran = run(process.execPath, [`${project}scripts/ensure-tools.mjs`, 'git'], project, process.env)
  if (ran.status !== 0) throw new Error(ran.stderr.trim())
}

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1 << 26 })
  if (error !== undefined) throw error
  return { status: status ?? -1, stdout, stderr }
}
