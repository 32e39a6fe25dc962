import { join } from 'node:path'
import { CACHE, installOnce } from '../support/npm-install.js'
import { ADAPTERS, type RealClient, VERSIONS } from './versions.js'

/**
 * The program of a client in its pinned version, installed from the npm registry if it is missing.
 * @throws Error with the command to run, if the registry cannot be reached
 */
export function programOf(client: RealClient): string {
  const { package: name, version } = VERSIONS[client]
  const dir = join(CACHE, 'clients', `${client}-${version}`)
  const program = join('node_modules', '.bin', PROGRAMS[client])
  installOnce(dir, [`${name}@${version}`], program)
  return join(dir, program)
}

/** The program of an adapter, as {@link programOf}. */
export function adapterProgram(adapter: keyof typeof ADAPTERS): string {
  const { package: name, version } = ADAPTERS[adapter]
  const dir = join(CACHE, 'clients', `${adapter}-${version}`)
  const program = join('node_modules', '.bin', adapter)
  installOnce(dir, [`${name}@${version}`], program)
  return join(dir, program)
}

const PROGRAMS = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
  cline: 'cline',
} as const satisfies Record<RealClient, string>

export const CLIENTS: readonly RealClient[] = Object.values(PROGRAMS)
