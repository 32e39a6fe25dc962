import { HASH_BYTES } from './merkle.js'
import { formatNote, type Note, parseNote } from './note.js'

/** Checkpoints (C2SP tlog-checkpoint): the name, the size and the root of a log, as a signed note. */

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly root: Buffer
  readonly note: Note
}

const SIZE = /^(?:0|[1-9][0-9]{0,15})$/

export function checkpointText(origin: string, size: number, root: Buffer): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`
}

/** Reads a checkpoint; undefined if it is malformed. Says nothing about its signatures. */
export function parseCheckpoint(content: string): Checkpoint | undefined {
  const note = parseNote(content)
  const [origin = '', size = '', encoded = ''] = note?.text.split('\n') ?? []
  const root = Buffer.from(encoded, 'base64')
  const isValid = origin !== '' && SIZE.test(size) && Number.isSafeInteger(Number(size)) && root.length === HASH_BYTES
  if (note === undefined || !isValid || root.toString('base64') !== encoded) return undefined
  return { origin, size: Number(size), root, note }
}

/** As it was read. */
export function formatCheckpoint({ note }: Checkpoint): string {
  return formatNote(note)
}
