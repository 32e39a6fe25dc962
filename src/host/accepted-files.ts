import { existsSync } from 'node:fs'
import { z } from 'zod'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { cachedFile, type FileBytes } from './cached-file.js'
import { gitUser } from './git.js'
import { prepareState } from './workspace-state.js'
import { replaceDurable } from './write.js'

/**
 * What a person has accepted on this machine of the files that say what agents may do: policy, intents, templates,
 * `.intentignore`. Their texts are kept in the state directory, so that a file which differs can be compared with them.
 */
export interface AcceptedFiles {
  /** By the name relative to the root. */
  readonly texts: ReadonlyMap<string, string>
  /** ISO 8601. Absent where nothing was accepted. */
  readonly at?: string
  readonly by?: { readonly name: string; readonly email?: string | undefined }
}

const record = z.strictObject({
  version: z.literal(1),
  at: z.string(),
  by: z.object({ name: z.string(), email: z.string().optional() }),
  files: z.record(z.string(), z.string()),
})

/** All of the files together, several times over. */
const MAX_BYTES = 16 * 1024 * 1024

const NOTHING: AcceptedFiles = { texts: new Map() }

/** Where a command in a session's mount finds them: the state directory is hidden there. */
export const ACCEPTED_IN_MOUNT = '/run/escrow/trust.json'

/**
 * What has been accepted, looked at again by each call: the same object while nothing was. Synchronous; one `lstat`.
 * @throws EscrowError `policy_invalid` where the record cannot be read.
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
  return new EscrowError('policy_invalid', 'What was accepted on this machine cannot be read.', {
    hint: "Accept the files again: 'escrow trust'.",
  })
}

function parseRecord(text: string): z.infer<typeof record> | undefined {
  try {
    return record.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Accepts texts by name; a name without one is accepted as absent. What is not named stays. For a caller that holds the
 * lock of the file it changes, or is a person's.
 * @param by who accepts; without it an edit of ours goes by the word of who accepted before.
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
  const value = { version: 1, at: new Date().toISOString(), by: person, files } satisfies z.infer<typeof record>
  replaceDurable(layout.trustFile, `${JSON.stringify(value)}\n`, 0o600)
}

/** A record that cannot be read is written over: who accepts says what holds from now on. */
function currentlyAccepted(layout: Layout): AcceptedFiles {
  try {
    return openAccepted(layout)()
  } catch {
    return NOTHING
  }
}
