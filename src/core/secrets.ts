import { HOME_HOSTS, homeOf } from '../hosts/index.js'

/**
 * The places of secrets, each with a reason. Agents and their commands cannot read them, unless a person's rule allows it.
 */

const AGENTS_LOGIN = "an agent's login"

/** Paths below the home directory. With `onlyWith`, a file is secret only if its text matches. */
export const SECRET_PLACES: readonly (readonly [path: string, why: string, onlyWith?: RegExp])[] = [
  ['.ssh', 'keys'],
  ['.gnupg', 'keys'],
  ['.aws', 'cloud credentials'],
  ['.azure', 'cloud credentials'],
  ['.config/gcloud', 'cloud credentials'],
  ['.config/gh', "GitHub's token"],
  ['.config/git/credentials', 'passwords'],
  ['.git-credentials', 'passwords'],
  ['.netrc', 'passwords'],
  ['.pgpass', 'passwords'],
  ['.kube', 'cluster credentials'],
  ['.docker/config.json', 'registry tokens'],
  ['.password-store', 'passwords'],
  ['.local/share/keyrings', 'passwords'],
  ['.mozilla', 'cookies'],
  ['.config/google-chrome', 'cookies'],
  ['.config/chromium', 'cookies'],
  // Without a token, the file only configures registries, and commands need to read it.
  ['.npmrc', 'registry tokens', /_auth|_password/i],
  ['.pypirc', 'registry tokens'],
  ['.cargo/credentials.toml', 'registry tokens'],
  ['.bash_history', 'typed commands'],
  ['.zsh_history', 'typed commands'],
  ...HOME_HOSTS.flatMap((host) => homeOf(host).logins.map((path): [string, string] => [path, AGENTS_LOGIN])),
  ...['.config/github-copilot', '.copilot/config.json', '.qwen/oauth_creds.json', '.local/share/amp/secrets.json'].map(
    (path): [string, string] => [path, AGENTS_LOGIN],
  ),
]

/** Absolute paths of the system. Agents in containers are often root, who could read them. */
export const SYSTEM_SECRETS: readonly (readonly [path: string, why: string])[] = [
  ['/etc/shadow', 'password hashes'],
  ['/etc/shadow-', 'password hashes'],
  ['/etc/gshadow', 'password hashes'],
  ['/etc/gshadow-', 'password hashes'],
  ['/etc/security/opasswd', 'password hashes'],
  ['/etc/ssl/private', 'keys'],
  ['/etc/ssh/ssh_host_rsa_key', 'a private key'],
  ['/etc/ssh/ssh_host_ecdsa_key', 'a private key'],
  ['/etc/ssh/ssh_host_ed25519_key', 'a private key'],
  ['/etc/krb5.keytab', 'keys'],
  ['/etc/wireguard', 'keys'],
  ['/etc/NetworkManager/system-connections', 'passwords'],
]

/** Names of files and directories at any depth. A `*` at the beginning or end of a name matches any characters. */
export const SECRET_NAMES: readonly (readonly [name: string, why: string])[] = [
  ['.env', 'environment variables'],
  ['.env.*', 'environment variables'],
  ['.ssh', 'keys'],
  ['.gnupg', 'keys'],
  ['.aws', 'cloud credentials'],
  ['id_rsa', 'a private key'],
  ['id_dsa', 'a private key'],
  ['id_ecdsa', 'a private key'],
  ['id_ed25519', 'a private key'],
  ['*.pem', 'keys'],
  ['*.key', 'a private key'],
  ['*.p12', 'keys'],
  ['*.pfx', 'keys'],
  ['*.jks', 'keys'],
  ['*.keystore', 'keys'],
  ['.netrc', 'passwords'],
  ['.pgpass', 'passwords'],
  ['.htpasswd', 'passwords'],
  ['.git-credentials', 'passwords'],
]

/** Names of example files, which contain no secrets. */
export const NO_SECRETS: readonly string[] = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.defaults',
]
