import { claude } from './claude.js'
import { cline } from './cline.js'
import { codex } from './codex.js'
import { gemini } from './gemini.js'
import { mcp } from './mcp.js'
import { opencode } from './opencode.js'
import type { HomeHost, HomeHostProfile, HostHome, HostName, HostProfile, HostProvider } from './profile.js'
import { roo } from './roo.js'

const PROFILES: Readonly<Record<HomeHost, HomeHostProfile> & Record<HostName, HostProfile>> = {
  claude,
  cline,
  codex,
  gemini,
  opencode,
  roo,
  mcp,
}

/** Every host, in the order of `escrow init`'s questions. */
export const HOSTS = Object.keys(PROFILES).filter((name): name is HostName => name in PROFILES)
export const HOME_HOSTS = HOSTS.filter((name): name is HomeHost => 'home' in PROFILES[name])

export function profileOf(name: HostName): HostProfile {
  return PROFILES[name]
}

export function homeProfileOf(name: HomeHost): HomeHostProfile {
  return PROFILES[name]
}

export function homeOf(name: HomeHost): HostHome {
  return PROFILES[name].home
}

/** The network hosts of a host's provider, by its profile and variables: entries for `StartOptions.hosts`. */
export function providerHosts(name: HomeHost, env: Readonly<Record<string, string | undefined>>): string[] {
  const { hosts, addresses } = providerOf(name)
  const fromVariables = addresses.flatMap((variable) => {
    const address = env[variable]
    return address !== undefined && URL.canParse(address) ? [new URL(address)] : []
  })
  return [...hosts, ...fromVariables.map(({ hostname, port }) => (port === '' ? hostname : `${hostname}:${port}`))]
}

export function providerOf(name: HomeHost): HostProvider {
  return PROFILES[name].provider
}

/** The commands that install an npm package and run its program, and their options without a value. */
const RUNNERS = [['npx'], ['bunx'], ['npm', 'exec'], ['npm', 'x'], ['pnpm', 'dlx'], ['yarn', 'dlx'], ['bun', 'x']]
const RUNNER_OPTIONS = ['-y', '--yes', '-q', '--quiet', '--']

/**
 * The host that a command starts: by its program's name, or by the npm package that it runs, as in `npx -y PACKAGE@VERSION`.
 * Undefined for any other command, and for a runner with other options.
 */
export function hostOfCommand([program = '', ...args]: readonly string[]): HomeHost | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const host = HOME_HOSTS.find((each) => homeOf(each).programs.includes(name))
  if (host !== undefined) return host
  const runner = RUNNERS.find((words) => words.every((word, at) => word === [name, ...args][at]))
  const specifier = runner && args.slice(runner.length - 1).find((arg) => !RUNNER_OPTIONS.includes(arg))
  const npmPackage = specifier?.replace(/(?<=.)@.*$/, '')
  return HOME_HOSTS.find((each) => npmPackage !== undefined && packagesOf(each).includes(npmPackage))
}

function packagesOf(host: HomeHost): readonly string[] {
  return [providerOf(host).npmPackage, ...(homeOf(host).adapterPackages ?? [])]
}
