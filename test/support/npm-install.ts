import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory for installed packages. */
export const CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache')

/**
 * Installs packages into a directory unless `proof` exists there.
 * @param packages each with its version
 * @param proof a path below the directory that exists after the installation
 * @param options more options for npm
 * @throws Error with the command to run if the registry cannot be reached
 */
export function installOnce(
  dir: string,
  packages: readonly string[],
  proof: string,
  options: readonly string[] = [],
): void {
  const isThere = () => existsSync(join(dir, proof))
  if (isThere()) return
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--prefix', dir, '--no-audit', '--no-fund', '--loglevel=error', ...options, ...packages]
  const { status } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status === 0 && isThere()) return
  throw new Error(`${packages.join(', ')}: not installed. With the npm registry in reach, run: npm ${args.join(' ')}`)
}
