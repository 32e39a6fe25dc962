/** Words in a variable's name that mark its value as a secret. */
const SECRET_WORDS = new Set(
  'key keys pat pats pass auth dsn jwt cookie cookies bearer otp creds webhook webhooks oauth keyfile'.split(' '),
)

/** Endings of words that do the same: `PGPASSWORD`, `authtoken`. */
const SECRET_ENDINGS =
  /(?:tokens?|secrets?|passwords?|passwd|passphrases?|credentials?|(?:api|auth|access|secret|private|signing|ssh)keys?|connectionstring)$/

/** Variables that lead to an agent or store of secrets, that make a program load code, or that are ours. */
const SECRET_NAMES =
  /^(?:SSH_AGENT_PID|GPG_AGENT_INFO|DBUS_SESSION_BUS_ADDRESS|XAUTHORITY|NODE_OPTIONS|LD_PRELOAD|LD_AUDIT|DATABASE_URL|\w+_ASKPASS|VSCODE_(?:GIT_)?IPC_\w+|ESCROW_.*)$/i

/** Values that are or contain a secret, whatever the name. */
const SECRET_VALUES: readonly RegExp[] = [
  /:\/\/[^\s/?#@:]*:[^\s/@]+@/,
  /:\/\/[\w-]{20,}@/,
  /(?:^|[;&?\s])(?:password|passwd|pwd|sslpassword)=[^;&\s]/i,
  /^(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|sk-[\w-]{16}|AKIA[0-9A-Z]{16}|AIza[\w-]{30}|npm_\w{30}|hf_\w{20}|eyJ[\w-]+\.eyJ)/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
]

/** Secrets within a longer text. */
export const SECRET_TEXTS: readonly RegExp[] = [
  /(?<=:\/\/[^\s/?#@:]*:)[^\s/@]+(?=@)/g,
  /(?<=:\/\/)[\w-]{20,}(?=@)/g,
  /\b(?:gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|sk-[\w-]{16,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|eyJ[\w-]+\.eyJ[\w.-]+)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g,
]

/** A longer value (characters) is withheld without a search. */
const MAX_VALUE = 64 * 1024

/** Whether a variable is withheld from commands, by its name or value. */
export function holdsSecret(name: string, value: string): boolean {
  if (SECRET_NAMES.test(name)) return true
  const parts = wordsOf(name)
  const isNamed = parts.some(
    (word, at) => SECRET_WORDS.has(word) || SECRET_ENDINGS.test(word) || (word === 'pwd' && at > 0),
  )
  return isNamed || parts.join(' ').includes('connection string') || value.length > MAX_VALUE || isSecret(value)
}

function isSecret(value: string): boolean {
  return SECRET_VALUES.some((pattern) => pattern.test(value))
}

/** Splits a name: `npm_config__authToken` gives `npm config auth token`. */
function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()
  return spaced.split(/[^a-z]+/).filter((word) => word !== '')
}
