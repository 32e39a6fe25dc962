/** Words a name says by itself that its value is a secret. */
const WORDS = new Set(
  'key keys pat pats pass auth dsn jwt cookie cookies bearer otp creds webhook webhooks oauth keyfile'.split(' '),
)

/** The same, also at the end of a longer word: `PGPASSWORD`, `authtoken`. */
const ENDINGS =
  /(?:tokens?|secrets?|passwords?|passwd|passphrases?|credentials?|(?:api|auth|access|secret|private|signing|ssh)keys?|connectionstring)$/

/** Names that lead to who holds secrets, have a program load something, or are ours. */
const NAMES =
  /^(?:SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|XAUTHORITY|NODE_OPTIONS|LD_PRELOAD|LD_AUDIT|DATABASE_URL|\w+_ASKPASS|VSCODE_(?:GIT_)?IPC_\w+|ESCROW_.*)$/i

/** Values that are secrets, or have one in them, whatever their names. */
const VALUES: readonly RegExp[] = [
  /:\/\/[^\s/?#@:]*:[^\s/@]+@/,
  /:\/\/[\w-]{20,}@/,
  /(?:^|[;&?\s])(?:password|passwd|pwd|sslpassword)=[^;&\s]/i,
  /^(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-[\w-]{16}|AKIA[0-9A-Z]{16}|AIza[\w-]{30}|npm_\w{30}|hf_\w{20}|eyJ[\w-]+\.eyJ)/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
]

/** Beyond this a value is not searched: it is no variable of a person's. */
const MAX_VALUE = 64 * 1024

/** Whether a variable is kept from commands, by its name or by what it holds. */
export function holdsSecret(name: string, value: string): boolean {
  if (NAMES.test(name)) return true
  const words = wordsOf(name)
  const isNamed = words.some((word, at) => WORDS.has(word) || ENDINGS.test(word) || (word === 'pwd' && at > 0))
  return isNamed || words.join(' ').includes('connection string') || value.length > MAX_VALUE || isSecret(value)
}

function isSecret(value: string): boolean {
  return VALUES.some((pattern) => pattern.test(value))
}

/** `npm_config__authToken` is `npm config auth token`. */
function wordsOf(name: string): string[] {
  const parted = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return parted.split(/[^a-z]+/).filter((word) => word !== '')
}
