import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemStateHome } from '../src/os/state-home.js'
import { memoryPlace } from './places.js'

/** Installed programs to compare with. */

/** The built command. */
export const ESCROW = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url))

/** The home directory of the bench. */
let home: string | undefined

function benchHome(): string {
  home ??= memoryPlace().path
  return home
}

/** Where the bench keeps state, so that the user's own does not change: in the directory of the system below its own home. */
export function benchState(): string {
  return systemStateHome(benchHome(), '', process.platform)
}

/** Variables of an agent's session, and of where state is. */
const OWN_VARIABLES = new Set([
  'CLAUDE_PROJECT_DIR',
  'ESCROW_INTENT_ID',
  'ESCROW_SESSION',
  'ESCROW_SESSION_ID',
  'XDG_STATE_HOME',
])

/** The environment of a person whose home is the bench's directory, without an agent's session. */
export function personEnv(): Record<string, string> {
  const others = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.has(name))
  return { ...Object.fromEntries(others.map(([name, value = '']) => [name, value])), HOME: benchHome() }
}

const NEUTRAL = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }

/** The version of a program. Undefined if it cannot be run. */
export function toolVersion(name: string): string | undefined {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' })
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown version') : undefined
}

/** Runs a program. @throws Error with its output if it fails */
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
