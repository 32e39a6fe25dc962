import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Packages to compare with. They are installed here on first use, and not in package.json. An unavailable one is
 * reported as skipped.
 */

const PLACE = fileURLToPath(new URL('../.cache/bench-peers/', import.meta.url))
const INSTALL_TIMEOUT_MS = 120_000

export const PEERS = {
  unionfs: '4.6.0',
  'just-bash': '3.4.2',
  '@zenfs/core': '2.4.4',
  'agentfs-sdk': '0.6.4',
} as const

export type PeerName = keyof typeof PEERS

/**
 * Imports a peer, and checks that it has the members that are used.
 * @throws Error with the reason if it is unavailable
 */
export async function loadPeer<T extends object>(name: PeerName, members: readonly (keyof T & string)[]): Promise<T> {
  if (installedVersion(name) !== PEERS[name]) install(name)
  const loader: unknown = await import(pathToFileURL(`${PLACE}load.mjs`).href)
  if (!offers<{ load(name: string): Promise<unknown> }>(loader, ['load'])) throw new Error('its loader is damaged')
  const found = await loader.load(name)
  if (!offers<T>(found, members)) throw new Error(`${name} ${PEERS[name]} does not offer ${members.join(', ')}`)
  return found
}

function offers<T extends object>(value: unknown, members: readonly (keyof T & string)[]): value is T {
  return typeof value === 'object' && value !== null && members.every((member) => member in value)
}

function installedVersion(name: PeerName): string | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(`${PLACE}node_modules/${name}/package.json`, 'utf8'))
    return offers<{ version: string }>(manifest, ['version']) ? manifest.version : undefined
  } catch {
    return undefined
  }
}

function install(name: PeerName): void {
  mkdirSync(PLACE, { recursive: true })
  // A bare specifier resolves from the importing file, so that file must be next to the peers.
  writeFileSync(`${PLACE}load.mjs`, 'export const load = (name) => import(name)\n')
  const args = ['install', '--prefix', PLACE, '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${PEERS[name]}`]
  const { status, stderr, error } = spawnSync('npm', args, { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS })
  if (status === 0) return
  const reason = error?.message ?? /npm error (.*)/.exec(stderr)?.[1] ?? `npm ended with ${status}`
  throw new Error(`not installed: ${reason}`)
}
