import { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.js'
import { HASH_BYTES } from './merkle.js'

/** Proofs as text: of inclusion (C2SP tlog-proof v1), and of consistency (the body of a request in C2SP tlog-witness). */

export interface InclusionProof {
  /** From 0. */
  readonly index: number
  readonly hashes: readonly Buffer[]
  readonly checkpoint: Checkpoint
  /** The entry, which nobody has to trust: its hash is the leaf. */
  readonly entry?: Buffer
}

export interface ConsistencyProof {
  /** The size of the older tree. */
  readonly from: number
  readonly hashes: readonly Buffer[]
  readonly checkpoint: Checkpoint
}

const HEADER = 'c2sp.org/tlog-proof@v1'
const NUMBER = '(0|[1-9][0-9]{0,15})'
/** A tree has at most 2^53 leaves. */
const MAX_HASHES = 64
export const MAX_PROOF_BYTES = 32 * 1024 * 1024

export function formatInclusion({ index, hashes, checkpoint, entry }: InclusionProof): string {
  const extra = entry === undefined ? [] : [`extra ${entry.toString('base64')}`]
  return [HEADER, ...extra, `index ${index}`, ...encode(hashes), '', formatCheckpoint(checkpoint)].join('\n')
}

export function formatConsistency({ from, hashes, checkpoint }: ConsistencyProof): string {
  return [`old ${from}`, ...encode(hashes), '', formatCheckpoint(checkpoint)].join('\n')
}

/** Reads a proof of either kind; undefined if it is malformed. */
export function parseProof(text: string): InclusionProof | ConsistencyProof | undefined {
  const end = text.indexOf('\n\n')
  if (end === -1) return undefined
  const checkpoint = parseCheckpoint(text.slice(end + 2))
  const lines = text.slice(0, end).split('\n')
  if (checkpoint === undefined) return undefined
  return lines[0] === HEADER ? inclusionIn(lines.slice(1), checkpoint) : consistencyIn(lines, checkpoint)
}

function inclusionIn(lines: readonly string[], checkpoint: Checkpoint): InclusionProof | undefined {
  const [, extra] = /^extra ([A-Za-z0-9+/]*={0,2})$/.exec(lines[0] ?? '') ?? []
  const [at = '', ...rest] = extra === undefined ? lines : lines.slice(1)
  const [, index] = new RegExp(`^index ${NUMBER}$`).exec(at) ?? []
  const hashes = decode(rest)
  if (index === undefined || hashes === undefined) return undefined
  return {
    index: Number(index),
    hashes,
    checkpoint,
    ...(extra !== undefined && { entry: Buffer.from(extra, 'base64') }),
  }
}

function consistencyIn(lines: readonly string[], checkpoint: Checkpoint): ConsistencyProof | undefined {
  const [, from] = new RegExp(`^old ${NUMBER}$`).exec(lines[0] ?? '') ?? []
  const hashes = decode(lines.slice(1))
  return from === undefined || hashes === undefined ? undefined : { from: Number(from), hashes, checkpoint }
}

function encode(hashes: readonly Buffer[]): string[] {
  return hashes.map((hash) => hash.toString('base64'))
}

function decode(lines: readonly string[]): Buffer[] | undefined {
  if (lines.length > MAX_HASHES) return undefined
  const hashes = lines.map((line) => Buffer.from(line, 'base64'))
  return hashes.every((hash, n) => hash.length === HASH_BYTES && hash.toString('base64') === lines[n])
    ? hashes
    : undefined
}
