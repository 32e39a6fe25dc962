import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import { formatNote, joinRanges, NOTE_SCHEMA, type NoteEntry, type Range } from '../core/note-text.js'
import { text } from './fields.js'
import { mayContain } from './line-words.js'
import { humanKey, shortHash, traceKey } from './note-claims.js'
import type { Origin } from './origins.js'
import { ownRecord } from './own-record.js'
import { wholeLines } from './read.js'

/**
 * A git note of the git-ai standard, authorship/3.0.0 (`refs/notes/ai`): the lines of a commit's files that agents and
 * reviewers wrote. Lines without a known author are left out, as the standard requires.
 */

/** The fields that a note has for a session. */
export interface Agent {
  readonly tool: string
  readonly conversation: string
  readonly model?: string
}

/** @param lines the authors of each file's lines, by its path below the repository's top */
export function gitAiNote(
  lines: ReadonlyMap<string, readonly Origin[]>,
  agents: ReadonlyMap<string, Agent>,
  revision: string,
): string {
  const sessions: Record<string, unknown> = {}
  const humans: Record<string, unknown> = {}
  const files = new Map<string, NoteEntry[]>()
  for (const [path, origins] of lines) {
    const owners = new Map<string, Range[]>()
    for (const [n, origin] of origins.entries()) {
      const owner = ownerOf(origin, agents, sessions, humans)
      if (owner === undefined) continue
      const ranges = owners.get(owner)
      if (ranges === undefined) owners.set(owner, [[n + 1, n + 1]])
      else ranges.push([n + 1, n + 1])
    }
    files.set(
      path,
      [...owners].map(([owner, ranges]) => ({ owner, ranges: joinRanges(ranges) })),
    )
  }
  const about = { schema_version: NOTE_SCHEMA, base_commit_sha: revision, prompts: {}, sessions, humans }
  return formatNote({ files, about })
}

/** The tool and conversation of each session in the ledger. */
export function agentsIn(ledger: SharedFile): ReadonlyMap<string, Agent> {
  const agents = new Map<string, Agent>()
  for (const { value } of wholeLines(ledger, ({ bytes }) => mayContain(bytes, '"commit"'))) {
    const session = text(value.session_id)
    if (session === undefined) continue
    const { tool = 'escrowfs', conversation = session, model } = ownRecord(value)?.agent ?? {}
    agents.set(session, { tool, conversation, ...defined({ model }) })
  }
  return agents
}

function ownerOf(
  { contributor, sessionId, tool, model, recordId, approvedBy }: Origin,
  agents: ReadonlyMap<string, Agent>,
  sessions: Record<string, unknown>,
  humans: Record<string, unknown>,
): string | undefined {
  if (contributor === 'human' && approvedBy !== undefined) {
    const id = humanKey(approvedBy)
    humans[id] = { author: approvedBy }
    return id
  }
  if (contributor !== 'ai' || sessionId === undefined) return undefined
  const agent = agents.get(sessionId) ?? { tool: tool ?? 'escrowfs', conversation: sessionId }
  const id = `s_${shortHash(`${agent.tool}:${agent.conversation}`)}`
  const by = { tool: agent.tool, id: agent.conversation, model: model ?? agent.model ?? 'unknown' }
  sessions[id] = { agent_id: by, ...defined({ human_author: approvedBy }) }
  return `${id}::${traceKey(recordId ?? sessionId)}`
}
