import { EscrowError } from '../core/api-error.js'
import { fingerprintOf } from '../trace/index.js'
import { type Checkpoint, parseCheckpoint } from './checkpoint.js'
import { isConsistent, leafHash, rootFromInclusion } from './merkle.js'
import { hasSigned, LOG_KEY, type NoteKey, parseKey, WITNESS_KEY } from './note.js'
import { parseProof } from './proof.js'

export interface ProofOptions {
  /** The proof's text. */
  readonly proof: string
  /** The log's key, in one line. */
  readonly logKey: string
  /** Keys of witnesses, in one line each. */
  readonly witnesses: readonly string[]
  /** How many of them must have cosigned. */
  readonly quorum: number
  /** The line, if the proof does not have it. */
  readonly entry?: Buffer | undefined
  /** The older checkpoint of a proof of consistency. */
  readonly older?: string | undefined
}

export interface ProofReport {
  readonly ok: boolean
  readonly kind: 'inclusion' | 'consistency'
  readonly problems: readonly string[]
  readonly origin: string
  readonly size: number
  /** The names of the witnesses that cosigned. */
  readonly witnesses: readonly string[]
  /** Of a proof of inclusion: the line's number, from 1, and its text. */
  readonly line?: number
  readonly text?: string
  /** Of a proof of consistency: the size of the older tree. */
  readonly from?: number
}

/**
 * Checks a proof, offline.
 * @throws EscrowError `unsupported` for a text that is not a proof, and for malformed keys
 */
export function checkProof(options: ProofOptions): ProofReport {
  const parsed = parseProof(options.proof)
  if (parsed === undefined)
    throw new EscrowError('unsupported', 'This is not a proof.', { hint: "'escrow ledger prove' writes one." })
  const { checkpoint } = parsed
  const log = keyIn(options.logKey, LOG_KEY)
  const witnesses = options.witnesses.map((text) => keyIn(text, WITNESS_KEY))
  const cosigned = witnesses.filter((key) => hasSigned(checkpoint.note, key))
  const names = [...new Set(cosigned.map(({ name }) => name))]
  const count = Math.min(names.length, new Set(cosigned.map(({ key }) => fingerprintOf(key))).size)
  const about = { origin: checkpoint.origin, size: checkpoint.size, witnesses: names }
  const problems = [
    ...signatureProblems(checkpoint, log, 'The checkpoint'),
    ...(count < options.quorum
      ? [`${options.quorum} witnesses are needed, and ${count} of those named have cosigned the checkpoint.`]
      : []),
  ]
  if ('index' in parsed) {
    const entry = parsed.entry ?? options.entry
    const wrong = inclusionProblem(parsed, entry)
    const all = [...problems, ...(wrong === undefined ? [] : [wrong])]
    const text = entry === undefined || all.length > 0 ? {} : { text: entry.toString() }
    return { ok: all.length === 0, kind: 'inclusion', problems: all, ...about, line: parsed.index + 1, ...text }
  }
  const all = [...problems, ...consistencyProblems(parsed, options.older, log)]
  return { ok: all.length === 0, kind: 'consistency', problems: all, ...about, from: parsed.from }
}

type Parsed = NonNullable<ReturnType<typeof parseProof>>
type Inclusion = Extract<Parsed, { readonly index: number }>
type Consistency = Extract<Parsed, { readonly from: number }>

function signatureProblems({ origin, note }: Checkpoint, log: NoteKey, what: string): string[] {
  if (origin !== log.name) return [`${what} is of the log '${origin}', and the key is of '${log.name}'.`]
  return hasSigned(note, log) ? [] : [`${what} is not signed by the log's key.`]
}

function inclusionProblem({ index, hashes, checkpoint }: Inclusion, entry: Buffer | undefined): string | undefined {
  if (entry === undefined) return 'The proof does not have its line. Give the line.'
  const root = rootFromInclusion(leafHash(entry), index, checkpoint.size, hashes)
  if (root?.equals(checkpoint.root)) return undefined
  return `The proof does not lead from this text, as line ${index + 1}, to the checkpoint of ${checkpoint.size} lines.`
}

function consistencyProblems(
  { from, hashes, checkpoint }: Consistency,
  older: string | undefined,
  log: NoteKey,
): string[] {
  const old = older === undefined ? undefined : parseCheckpoint(older)
  if (old === undefined) return ['The older checkpoint is missing or malformed. Give it.']
  const unsigned = signatureProblems(old, log, 'The older checkpoint')
  if (unsigned.length > 0) return unsigned
  if (old.size !== from) return [`The proof is from ${from} lines on, and the older checkpoint has ${old.size}.`]
  if (isConsistent(old, checkpoint, hashes)) return []
  return [
    `The log of ${checkpoint.size} lines does not continue the one of ${old.size}: it was rewritten, or the proof is of another one.`,
  ]
}

function keyIn(text: string, type: NoteKey['type']): NoteKey {
  const key = parseKey(text)
  if (key?.type === type) return key
  const what = type === LOG_KEY ? 'a log' : 'a witness'
  throw new EscrowError('unsupported', `'${text}' is not the key of ${what}.`, { hint: 'NAME+ID+BASE64 is expected.' })
}
