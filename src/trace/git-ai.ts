import { sha256hex } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { SharedFile } from '../core/layout.js'
import { text } from './fields.js'
import type { Origin } from './origins.js'
import { ownRecord } from './own-record.js'
import { wholeLines } from './read.js'

/**
 * A git note of the git-ai standard, authorship/3.0.0 (`refs/notes/ai`): the lines of a commit's files that agents and
 * reviewers wrote. Lines without a known author are left out, as the standard requires.
 */

/** The fields that a note has for a session. */
interface Agent {
  readonly tool: string
  readonly conversation: string
  readonly model?: string
}

export function gitAiNote(
  lines: ReadonlyMap<string, readonly Origin[]>,
  agents: ReadonlyMap<string, Agent>,
  revision: string,
): string {
  const sessions: Record<string, unknown> = {}
  const humans: Record<string, unknown> = {}
  const attestations: string[] = []
  for (const [path, origins] of lines) {
    const owners = new Map<string, number[]>()
    for (const [n, origin] of origins.entries()) {
      const owner = ownerOf(origin, agents, sessions, humans)
      if (owner === undefined) continue
      const numbers = owners.get(owner)
      if (numbers === undefined) owners.set(owner, [n + 1])
      else numbers.push(n + 1)
    }
    if (owners.size === 0) continue
    attestations.push(/[\s\p{C}]|^---$/u.test(path) ? JSON.stringify(path) : path)
    for (const [owner, numbers] of owners) attestations.push(`  ${owner} ${rangesOf(numbers)}`)
  }
  const about = { schema_version: 'authorship/3.0.0', base_commit_sha: revision, prompts: {}, sessions, humans }
  return `${[...attestations, '---', JSON.stringify(about)].join('\n')}\n`
}

/** The tool and conversation of each session in the ledger. */
export function agentsIn(ledger: SharedFile): ReadonlyMap<string, Agent> {
  const agents = new Map<string, Agent>()
  for (const { value } of wholeLines(ledger, ({ bytes }) => bytes.includes('"type":"commit"'))) {
    const session = text(value.session_id)
    if (session === undefined) continue
    const { tool = 'escrowfs', conversation = session, model } = ownRecord(value)?.agent ?? {}
    agents.set(session, { tool, conversation, ...defined({ model }) })
  }
  return agents
}

function ownerOf(
  { contributor, sessionId, model, recordId, approvedBy }: Origin,
  agents: ReadonlyMap<string, Agent>,
  sessions: Record<string, unknown>,
  humans: Record<string, unknown>,
): string | undefined {
  if (contributor === 'human' && approvedBy !== undefined) {
    const id = `h_${short(approvedBy)}`
    humans[id] = { author: approvedBy }
    return id
  }
  if (contributor !== 'ai' || sessionId === undefined) return undefined
  const agent = agents.get(sessionId) ?? { tool: 'escrowfs', conversation: sessionId }
  const id = `s_${short(`${agent.tool}:${agent.conversation}`)}`
  const by = { tool: agent.tool, id: agent.conversation, model: model ?? agent.model ?? 'unknown' }
  sessions[id] = { agent_id: by, ...defined({ human_author: approvedBy }) }
  return `${id}::t_${short(recordId ?? sessionId)}`
}

function short(name: string): string {
  return sha256hex(name).slice(0, 14)
}

/** `1-10,15`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
