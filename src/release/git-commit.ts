import type { StagedChange } from '../../overlay/index.js'
import type { GitCommitOptions, GitCommitResult, Intent, LedgerHead, Verdict } from '../core/api.js'
import type { GitCommitPer } from '../core/commit-api.js'
import type { ProposedCommit } from '../core/exec-api.js'
import { isObject } from '../core/is-object.js'
import type { Layout } from '../core/layout.js'
import type { AgentInfo } from '../core/people.js'
import { printable } from '../core/printable.js'
import {
  agentMessage,
  filesOf,
  type GitGroup,
  gitLandingOf,
  landGit,
  type PreparedGit,
  prepareGit,
  purposeOf,
  subjectOf,
} from '../git/index.js'
import { gitUser } from '../os/git.js'
import { readProposals, readSessionWork } from '../trace/index.js'
import type { ReviewedSession } from './reviewed-session.js'

/** The data for the messages of git commits. */
export interface GitRequest {
  readonly changes: readonly StagedChange[]
  readonly approvals: readonly Verdict[]
  readonly head: LedgerHead | undefined
  readonly options: GitCommitOptions
}

/** Makes the git commits of approved changes, which land with them. See {@link prepareGit}. */
export function prepareGitCommit(session: ReviewedSession, request: GitRequest): Promise<PreparedGit> {
  const { layout } = session
  const { branch, wholeFiles, hooks, edit } = request.options
  return prepareGit({
    layout,
    groups: groupsOf(session, request),
    reviewer: gitUser(layout.root),
    branch,
    wholeFiles,
    hooks,
    edit,
  })
}

export function gitResult({ landing, ref, ignored, hooksLeft }: PreparedGit): GitCommitResult {
  return { ref, commits: landing?.commits ?? [], ignored, hooksLeft }
}

/** Lands the git commits that a ledger record names. Returns what a person should know. */
export function landRecorded(layout: Layout, record: Readonly<Record<string, unknown>>): string[] {
  const { data, tx } = record
  const landing = isObject(data) ? gitLandingOf(data.git) : undefined
  return landing === undefined || typeof tx !== 'string' ? [] : landGit(layout, landing, tx)
}

/** Divides changes into git commits, each with its message. */
export function groupsOf(session: ReviewedSession, { changes: all, approvals, head, options }: GitRequest): GitGroup[] {
  const { per = 'all', message } = options
  const { layout, sessionId } = session
  const state = session.intents.state()
  const intents = state.ok ? state.intents : new Map<string, Intent>()
  const work = readSessionWork(layout.root, sessionId)
  const reasons = new Map(work.flatMap(({ callId, reason }) => (callId && reason ? [[callId, reason] as const] : [])))
  const proposals = readProposals(layout.root, sessionId)
  const people = approvals.flatMap(({ by, rule }) => (rule === undefined ? [by] : []))
  const reviewers = uniqueBy(people, ({ name, email = '' }) => `${name} ${email}`)
  const tiers = unique(approvals.flatMap(({ rule }) => rule?.tier ?? []))
  return divide(all, per, proposals).map((changes) => {
    const ids = unique(changes.flatMap(({ intentId }) => intentId ?? []))
    const credits = { intents: ids, agents: agentsOf(changes, session.agent()), reviewers, tiers, head }
    const text =
      message ?? proposedMessage(changes, proposals, per) ?? describe(changes, { ids, intents, reasons, per })
    return { message: text, credits, changes }
  })
}

/** The changes of each commit, in the order in which they were written. */
function divide(
  changes: readonly StagedChange[],
  per: GitCommitPer,
  proposals: readonly ProposedCommit[],
): StagedChange[][] {
  const keyOf = ({ intentId = '', calls, path }: StagedChange) => {
    if (per === 'all') return ''
    if (per === 'intent') return intentId
    if (per === 'step') return `${intentId} ${calls.at(-1) ?? ''}`
    return proposalOf(path, proposals)?.id ?? ''
  }
  const groups = new Map<string, StagedChange[]>()
  for (const change of changes.toSorted((a, b) => (a.writtenAt ?? 0) - (b.writtenAt ?? 0))) {
    const key = keyOf(change)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [change])
    else group.push(change)
  }
  if (per !== 'proposal') return [...groups.values()]
  // In the order of the agent's commits; changes that it had not committed come last.
  return [...proposals.map(({ id }) => id), ''].flatMap((id) => {
    const group = groups.get(id)
    groups.delete(id)
    return group === undefined ? [] : [group]
  })
}

function proposalOf(path: string, proposals: readonly ProposedCommit[]): ProposedCommit | undefined {
  return proposals.findLast(({ paths }) => paths.includes(path))
}

/**
 * The message of the agent's commit, if exactly one of its commits names these changes. Earlier commits of the agent
 * whose files all land with it are listed below it, because nobody reviewed their intermediate contents.
 */
function proposedMessage(
  changes: readonly StagedChange[],
  proposals: readonly ProposedCommit[],
  per: GitCommitPer,
): string | undefined {
  const named = new Set(changes.flatMap(({ path }) => proposalOf(path, proposals) ?? []))
  const [only] = named
  if (named.size !== 1 || only === undefined) return undefined
  const text = agentMessage(only.message)
  const isWithin = ({ id, paths }: ProposedCommit) =>
    id !== only.id && paths.length > 0 && paths.every((path) => changes.some((change) => change.path === path))
  const within = per === 'proposal' ? proposals.filter(isWithin) : []
  if (within.length === 0) return text
  return [
    text.trimEnd(),
    '',
    ...within.map(({ message }) => `- ${subjectOf(agentMessage(message).split('\n', 1)[0] ?? '')}`),
  ].join('\n')
}

interface Known {
  readonly ids: readonly string[]
  readonly intents: ReadonlyMap<string, Intent>
  /** The agent's reasons for its tool calls, by their ids. */
  readonly reasons: ReadonlyMap<string, string>
  readonly per: GitCommitPer
}

/** Builds the subject from the intent and the body from the agent's reasons. For a single step, the subject is its reason. */
function describe(changes: readonly StagedChange[], { ids, intents, reasons, per }: Known): string {
  const given = unique(changes.flatMap(({ calls }) => calls).flatMap((call) => reasons.get(call) ?? []))
  const paths = changes.map(({ path }) => path)
  const purpose = purposeOf(ids, (id) => intents.get(id)?.name, paths)
  const [first, ...rest] = given
  if (per === 'step') return [subjectOf(first ?? `${purpose}: ${filesOf(paths)}`), ...body(rest)].join('\n')
  return [subjectOf(purpose), ...body(given)].join('\n')
}

function body(reasons: readonly string[]): string[] {
  return reasons.length === 0 ? [] : ['', ...reasons.map((reason) => `- ${onOneLine(reason)}`)]
}

function onOneLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

function agentsOf(changes: readonly StagedChange[], present: AgentInfo | undefined): AgentInfo[] {
  const agents = changes.flatMap(({ agent }) => (agent as AgentInfo | null | undefined) ?? present ?? [])
  return uniqueBy(agents, ({ tool = '', model = '' }) => `${tool}:${model}`)
}

function unique(items: readonly string[]): string[] {
  return [...new Set(items)]
}

/** The first item of each key. */
function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const first = new Map<string, T>()
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item)
  return [...first.values()]
}
