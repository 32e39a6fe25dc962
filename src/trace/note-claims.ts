import { sha256hex } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { FileVersion } from '../core/file-history.js'
import { isAbout, parseNote } from '../core/note-text.js'
import { objectOf, text } from './fields.js'
import type { Origin } from './origins.js'

/**
 * The claims of a git note about the lines that its commit added. A claim has no signature, so it only selects one of
 * the records that wrote such a line. If no record did, it names an agent and never an approval.
 */

/** Most lines that a note may claim in one file. */
const MAX_LINES = 1_000_000

export interface NoteClaim {
  /** The answer of blame if no record wrote the line. Undefined if the note was written for another commit and copied. */
  readonly origin: Origin | undefined
  /** Whether the note names a record's origin. */
  readonly isOf: (origin: Origin) => boolean
}

/** The claims about a file's lines, from 0. A line may have several. */
export type NoteClaims = ReadonlyMap<number, readonly NoteClaim[]>

const NONE: NoteClaims = new Map()

export function claimsIn({ note, commit }: Pick<FileVersion, 'note' | 'commit'>): NoteClaims {
  const parsed = note === undefined ? undefined : parseNote(note.text)
  const entries = (note && parsed?.files.get(note.path)) ?? []
  if (parsed === undefined || entries.length === 0) return NONE
  const isOwn = isAbout(parsed, commit)
  const claims = new Map<number, NoteClaim[]>()
  let remaining = MAX_LINES
  for (const { owner, ranges } of entries) {
    const found = claimOf(owner, parsed.about)
    if (found === undefined) continue
    const claim = isOwn ? found : { ...found, origin: undefined }
    for (const [first, last] of ranges) {
      remaining -= last - first + 1
      if (remaining < 0) return NONE
      for (let line = first - 1; line < last; line++) {
        const known = claims.get(line)
        if (known === undefined) claims.set(line, [claim])
        else known.push(claim)
      }
    }
  }
  return claims
}

function claimOf(owner: string, about: Readonly<Record<string, unknown>>): NoteClaim | undefined {
  const [session = '', trace] = owner.split('::')
  if (session.startsWith('h_')) {
    if (objectOf(about.humans)[session] === undefined) return undefined
    return {
      origin: { contributor: 'human', imported: true },
      isOf: ({ contributor, approvedBy }) =>
        contributor === 'human' && approvedBy !== undefined && session === humanKey(approvedBy),
    }
  }
  const found = objectOf(about.sessions)[session] ?? objectOf(about.prompts)[session]
  if (found === undefined) return undefined
  const { tool, id, model } = objectOf(objectOf(found).agent_id)
  const agent = { tool: text(tool), sessionId: text(id), model: model === 'unknown' ? undefined : text(model) }
  return {
    origin: { contributor: 'ai', imported: true, ...defined(agent) },
    isOf: ({ recordId }) => trace !== undefined && recordId !== undefined && trace === traceKey(recordId),
  }
}

/** The key of a person. */
export function humanKey(name: string): string {
  return `h_${shortHash(name)}`
}

/** The key of a ledger record, within that of its session. */
export function traceKey(recordId: string): string {
  return `t_${shortHash(recordId)}`
}

export function shortHash(name: string): string {
  return sha256hex(name).slice(0, 14)
}
