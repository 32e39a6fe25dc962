import { existsSync } from 'node:fs'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { cachedFile, type FileBytes } from './cached-file.js'
import { gitUser } from './git.js'
import { prepareState } from './workspace-state.js'
import { replaceDurable } from './write.js'

/**
 * The accepted contents of the files that control agents (policy, intents, templates, `.intentignore`), as a person
 * accepted them on this machine. The state directory holds them, so that a changed file can be compared with them.
 */
export interface AcceptedFiles {
  /** By the name relative to the root. */
  readonly texts: ReadonlyMap<string, string>
  /** ISO 8601. Absent if nothing was accepted. */
  readonly at?: string
  readonly by?: { readonly name: string; readonly email?: string | undefined }
}

interface AcceptedRecord {
  readonly version: 1
  readonly at: string
  readonly by: { readonly name: string; readonly email?: string | undefined }
  readonly files: Readonly<Record<string, string>>
}

/** The limit of the record, several times the size of all these files. */
const MAX_BYTES = 16 * 1024 * 1024

const NOTHING: AcceptedFiles = { texts: new Map() }

/** The path of the record in a session's mount, where the state directory is hidden. */
export const ACCEPTED_IN_MOUNT = '/run/escrow/trust.json'

/**
 * Reads the accepted contents, again on each call: the same object while nothing was accepted since. Synchronous; one
 * `lstat`.
 * @throws EscrowError `policy_invalid` if the record cannot be read
 */
export function openAccepted({ trustFile }: Layout): () => AcceptedFiles {
  const path = process.env.ESCROW_SESSION && existsSync(ACCEPTED_IN_MOUNT) ? ACCEPTED_IN_MOUNT : trustFile
  const read = cachedFile(path, MAX_BYTES, acceptedIn)
  return () => {
    const found = read()
    if (found instanceof EscrowError) throw found
    return found
  }
}

function acceptedIn(file: FileBytes): AcceptedFiles | EscrowError {
  if (file.kind === 'absent') return NOTHING
  const found = file.kind === 'bytes' ? parseRecord(file.bytes.toString()) : undefined
  if (found) return { texts: new Map(Object.entries(found.files)), at: found.at, by: found.by }
  return new EscrowError('policy_invalid', 'The record of the files accepted on this machine cannot be read.', {
    hint: "Accept the files again: 'escrow trust'.",
  })
}

function parseRecord(text: string): AcceptedRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const KEYS: ReadonlySet<string> = new Set(['version', 'at', 'by', 'files'])

/** By hand, because every command reads the record, and loading the schema library takes longer than all other reading. */
function isRecord(value: unknown): value is AcceptedRecord {
  if (!isMap(value) || !Object.keys(value).every((key) => KEYS.has(key))) return false
  const { version, at, by, files } = value
  if (version !== 1 || typeof at !== 'string' || !isMap(by) || !isMap(files)) return false
  const isPerson = typeof by.name === 'string' && (by.email === undefined || typeof by.email === 'string')
  return isPerson && Object.values(files).every((each) => typeof each === 'string')
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Accepts contents by name. A name without content is accepted as absent, and other names stay as they are. The caller
 * holds the lock of the file it changes, or acts for a person.
 * @param by the person who accepts; by default the person who accepted last, for edits by escrowfs itself
 */
export function acceptTexts(
  layout: Layout,
  texts: ReadonlyMap<string, string | undefined>,
  by?: { readonly name: string; readonly email?: string | undefined },
): void {
  const known = currentlyAccepted(layout)
  const files = Object.fromEntries(known.texts)
  for (const [name, text] of texts) {
    if (text === undefined) delete files[name]
    else files[name] = text
  }
  prepareState(layout)
  const person = by ?? known.by ?? gitUser(layout.root)
  const value = { version: 1, at: new Date().toISOString(), by: person, files } satisfies AcceptedRecord
  replaceDurable(layout.trustFile, `${JSON.stringify(value)}\n`, 0o600)
}

/**
 * Accepts contents, then writes them to their files: between the two, the stricter of both applies. If the write fails, as on a
 * full disk, the earlier contents are accepted again, so that a file that never had the new ones is not shown as changed.
 */
export function acceptAndWrite(
  layout: Layout,
  texts: ReadonlyMap<string, string | undefined>,
  write: () => void,
): void {
  const before = currentlyAccepted(layout).texts
  acceptTexts(layout, texts)
  try {
    write()
  } catch (error) {
    acceptTexts(layout, new Map([...texts.keys()].map((name) => [name, before.get(name)])))
    throw error
  }
}

/** A record that cannot be read counts as empty, because the new acceptance replaces it. */
function currentlyAccepted(layout: Layout): AcceptedFiles {
  try {
    return openAccepted(layout)()
  } catch {
    return NOTHING
  }
}
