import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AllowedHosts, isHostEntry } from '../core/allowed-hosts.js'
import type { StartOptions } from '../core/api.js'
import { defined } from '../core/defined.js'
import { providerHosts } from '../hosts/index.js'
import type { Policy } from '../policy/index.js'
import type { NetworkUse } from '../terminal/index.js'

/** The network that a command gets by `terminal.network` of the policy, which may be a list of hosts. */

type NetworkSetting = NonNullable<ReturnType<Policy['settings']>>['network']
type Asked = Pick<StartOptions, 'network' | 'hosts' | 'client' | 'env'>

/** Where package managers of these kinds load from, unless a person has set another registry. */
const REGISTRIES: readonly string[] = [
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'pypi.org', 'files.pythonhosted.org'],
  ...[
    'index.crates.io',
    'static.crates.io',
    'proxy.golang.org',
    'sum.golang.org',
    'rubygems.org',
    'index.rubygems.org',
  ],
]

/** Variables of the person with a registry's address. */
const REGISTRY_VARIABLES = ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'UV_DEFAULT_INDEX']

/** Whether a command asks for more than its client's model provider, and more than a list in policy. */
export function asksPerson(asked: Asked, setting: NetworkSetting): boolean {
  const { network, hosts = [], client, env = {} } = asked
  const clientHosts = client === undefined ? [] : providerHosts(client, env)
  const beyond = hosts.filter((host) => !clientHosts.includes(host))
  if (!isList(setting)) return network === true || beyond.length > 0
  const listed = new AllowedHosts(hostsOf(setting, asked))
  return !beyond.every((host) => isHostEntry(host) && listed.covers(host))
}

/**
 * The network of an admitted command. A list is given to commands that ask for the network, and to those whose line uses it.
 * @param classes those of the command line.
 */
export function networkGranted(
  asked: Asked,
  setting: NetworkSetting,
  classes: readonly string[],
): boolean | readonly string[] {
  const { network, hosts } = asked
  if (!isList(setting)) return network === true || (hosts ?? false)
  const isUser = network === true || (hosts === undefined && classes.includes('network'))
  return isUser ? [...new Set([...hostsOf(setting, asked), ...(hosts ?? [])])] : (hosts ?? false)
}

/** The hosts that a command reached, and those that it could not reach, for its result. */
export function networkUse({ connections, unreachable }: NetworkUse): NetworkUse {
  return defined({ connections, unreachable })
}

/** The same for its ledger record. */
export function networkRecord({ connections = [], unreachable = [] }: NetworkUse) {
  return {
    ...(connections.length > 0 && { connections: [...connections] }),
    ...(unreachable.length > 0 && { unreachable: [...unreachable] }),
  }
}

function isList(setting: NetworkSetting): setting is readonly string[] {
  return typeof setting === 'object'
}

/** The hosts of a list. `registry` means the package registries, `provider` the client's own model provider. */
function hostsOf(list: readonly string[], { client, env = {} }: Asked): string[] {
  return list.flatMap((entry) => {
    if (entry === 'registry') return [...REGISTRIES, ...ownRegistries()]
    if (entry === 'provider') return client === undefined ? [] : providerHosts(client, env)
    return [entry]
  })
}

/**
 * The registries that the person has set, by a variable or in ~/.npmrc. A workspace's own .npmrc does not count,
 * because an agent can write it.
 */
function ownRegistries(): string[] {
  const addresses = [...REGISTRY_VARIABLES.map((name) => process.env[name] ?? ''), ...registriesIn(npmrc())]
  return addresses.flatMap((address) => {
    if (!URL.canParse(address)) return []
    const { hostname, port } = new URL(address)
    const entry = port === '' ? hostname : `${hostname}:${port}`
    return isHostEntry(entry) ? [entry] : []
  })
}

function npmrc(): string {
  try {
    return readFileSync(join(homedir(), '.npmrc'), 'utf8')
  } catch {
    return ''
  }
}

function registriesIn(text: string): string[] {
  return [...text.matchAll(/^(?:@[^:\s]+:)?registry\s*=\s*(\S+)\s*$/gm)].map(([, address = '']) => address)
}
