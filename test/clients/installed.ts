import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RealClient, VERSIONS } from './versions.js'

/** Where clients lie. */
const CLIENTS_CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache', 'clients')

/**
 * The program of a client in its pinned version, installed from the npm registry where it is missing.
 * @throws Error with the command to run, where the registry cannot be reached.
 */
export function programOf(client: RealClient): string {
  const { package: name, version } = VERSIONS[client]
  const dir = join(CLIENTS_CACHE, `${client}-${version}`)
  const program = join(dir, 'node_modules', '.bin', PROGRAMS[client])
  if (existsSync(program)) return program
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--prefix', dir, '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`]
  const { status } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status === 0 && existsSync(program)) return program
  throw new Error(`${name}@${version} is not installed. With the npm registry in reach, run: npm ${args.join(' ')}`)
}

const PROGRAMS = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
  cline: 'cline',
} as const satisfies Record<RealClient, string>

export const CLIENTS: readonly RealClient[] = Object.values(PROGRAMS)
