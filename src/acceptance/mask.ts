import { childOf, MAX_FILE_SIZE, type Overlay, type RelPath } from '../../overlay/index.js'
import { ifReadable } from '../os/read.js'
import { holdsSecret, SECRET_TEXTS } from '../terminal/index.js'

/** A shorter value is probably not a secret, and would mask half of the output. */
const MIN_SECRET = 8
/** Bytes of a secret file, and files of a secret directory, that are searched for values. */
const MAX_FILE = 64 * 1024
const MAX_FILES = 100

const MASK = '•••'

/**
 * Masks secrets in text: texts that look like tokens, values of variables that commands do not get, and values in files whose names
 * mark them as secret.
 * @param secretPaths such files and directories
 */
export function maskFor(
  overlay: Overlay,
  secretPaths: readonly RelPath[],
  env: NodeJS.ProcessEnv = process.env,
): (text: string) => string {
  const variables = Object.entries(env).flatMap(([name, value = '']) => (holdsSecret(name, value) ? [value] : []))
  const values = [...variables, ...secretPaths.flatMap((path) => filesAt(overlay, path)).flatMap(valuesIn)]
  // Longer values first: one may contain another.
  const secrets = [...new Set(values.filter((value) => value.length >= MIN_SECRET))].sort((a, b) => b.length - a.length)
  return (text) => {
    const known = secrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
    return SECRET_TEXTS.reduce((masked, pattern) => masked.replace(pattern, MASK), known)
  }
}

function filesAt(overlay: Overlay, path: RelPath): string[] {
  const type = overlay.typeOf(path)
  if (type === 'dir')
    return (ifReadable(() => overlay.readdir(path)) ?? [])
      .slice(0, MAX_FILES)
      .filter((entry) => entry.type === 'file')
      .flatMap(({ name }) => filesAt(overlay, childOf(path, name)))
  if (type !== 'file' || (overlay.lstat(path)?.size ?? MAX_FILE_SIZE) > MAX_FILE) return []
  try {
    return [overlay.read(path).toString('utf8')]
  } catch {
    // Commands run as this user, so they cannot read it either.
    return []
  }
}

/** The values of `NAME=value` lines, and whole lines: a key file is a list of them. */
function valuesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const value = /^\s*(?:export\s+)?[\w.-]+\s*[=:]\s*(.+)$/.exec(line)?.[1] ?? line
    const trimmed = value.trim()
    const quoted = /^(["'])(.*)\1$/.exec(trimmed)?.[2]
    return [quoted ?? trimmed]
  })
}
