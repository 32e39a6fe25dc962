import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { BUILD } from './build.js'
import { personalState } from './personal-state.js'
import { arePrivate } from './private-dir.js'
import { readSmall } from './read.js'
import { ensurePrivateDir, removeName, replaceDurable } from './write.js'

/**
 * The parsed values of texts, kept in the state directory under a digest of the text and the build of the command.
 * Reading one takes a fraction of the time of loading the YAML parser and the schemas. Other builds never read it, so
 * it is of the type that was written. No agent can write the state directory, and whoever can write there can accept
 * any rule (decision 0025).
 */

/** How many texts are kept, of all workspaces. Beyond it the older half is removed. */
const MOST = 64
const MAX_BYTES = 4 * 1024 * 1024

export type Parsed<T, P> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: P }

/**
 * The value of a text: kept from an earlier command, or parsed. A problem is not kept.
 * @param kind names the parser
 * @param parse makes a value that is plain JSON
 */
export function parsedOnce<T extends object, P>(
  kind: string,
  bytes: Uint8Array,
  parse: () => Parsed<T, P>,
  build: string | undefined = BUILD,
): Parsed<T, P> {
  // In a session's mount the state directory is another one, which the agent can write.
  if (build === undefined || process.env.ESCROW_SESSION) return parse()
  const name = `${createHash('sha256').update(`${build}\0${kind}\0`).update(bytes).digest('hex')}.json`
  const known = readKept<T>(name)
  if (known !== undefined) return { ok: true, value: known }
  const parsed = parse()
  if (parsed.ok) keep(name, parsed.value)
  return parsed
}

/** Undefined if nothing is kept, or it cannot be read or trusted: the text is parsed then. */
function readKept<T extends object>(name: string): T | undefined {
  try {
    const dir = keptDir()
    if (!arePrivate(dirname(dir), dir)) return undefined
    const cached: Kept<T> | null = JSON.parse(readSmall(join(dir, name), MAX_BYTES))
    return cached?.name === name ? cached.value : undefined
  } catch {
    return undefined
  }
}

/** A file. Its own name is in it, so that no other JSON is taken for one. */
interface Kept<T> {
  readonly name: string
  readonly value: T
}

function keep<T extends object>(name: string, value: T): void {
  try {
    const dir = keptDir()
    ensurePrivateDir(dir)
    if (!arePrivate(dirname(dir), dir)) return
    prune(dir)
    replaceDurable(join(dir, name), JSON.stringify({ name, value } satisfies Kept<T>), 0o600)
  } catch {
    // The next command parses the text again.
  }
}

function keptDir(): string {
  return join(personalState(), 'parsed')
}

function prune(dir: string): void {
  const names = readdirSync(dir)
  if (names.length < MOST) return
  const byAge = names
    .map((name) => ({ path: join(dir, name), at: lstatSync(join(dir, name)).mtimeMs }))
    .sort((a, b) => a.at - b.at)
  for (const { path } of byAge.slice(0, MOST / 2)) removeName(path)
}
