import type { Change, Hunk, Question, Workspace } from '../../index.js'
import { toHistoryEntry } from '../../surface/index.js'
import { shortIds } from '../hunks.js'
import { pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import type { Candidate, ReadSource, Source } from './candidates.js'

/** Reads candidates from an open workspace. */
export function createSourceReader(workspace: Workspace): ReadSource {
  return async (source, session) =>
    (await readSource(workspace, source, session)).filter(({ value }) => oneLine(value) === value)
}

/** Reads a source. Sources of a session need a typed session, or exactly one session with staged changes. */
async function readSource(workspace: Workspace, source: Source, typed: string | undefined): Promise<Candidate[]> {
  switch (source) {
    case 'files':
    case 'text':
      return []
    case 'sessions':
      return sessionCandidates(workspace)
    case 'intents':
      return (await workspace.intents.list()).map(({ id, name }) => ({ value: id, about: name }))
    case 'templates':
      return (await workspace.intents.templates()).map(({ name, summary }) => ({ value: name, about: summary }))
    case 'commits':
      return commitCandidates(workspace)
    case 'requests':
      return requestCandidates(workspace)
  }
  const session = typed ?? (await onlySession(workspace))
  return session === undefined ? [] : readSession(workspace, source, session)
}

async function readSession(
  workspace: Workspace,
  source: 'hunks' | 'calls' | 'staged' | 'quarantined' | 'snapshots' | 'questions',
  session: string,
): Promise<Candidate[]> {
  const review = await workspace.review(session)
  switch (source) {
    case 'staged':
      return (await review.changes()).changes.map(({ path, kind }) => ({ value: path, about: kind }))
    case 'hunks': {
      const set = await review.changes()
      const short = shortIds(set)
      return set.changes.flatMap((change) =>
        change.hunks.map((hunk) => ({ value: short.get(hunk.id) ?? hunk.id, about: describePlace(change, hunk) })),
      )
    }
    case 'calls': {
      const paths = new Map<string, string[]>()
      for (const { path, calls = [] } of (await review.changes()).changes)
        for (const call of calls) paths.set(call, [...(paths.get(call) ?? []), path])
      return [...paths].map(([value, of]) => ({ value, about: of.join(', ') }))
    }
    case 'quarantined':
      return (await review.quarantined()).map(({ path, reason }) => ({ value: path, about: reason }))
    case 'snapshots':
      return (await review.snapshots()).map(({ id, at, name, tool }) => ({
        value: id,
        about: `${at} ${name ?? tool ?? ''}`.trimEnd(),
      }))
    case 'questions':
      return (await review.questions()).map((question) => ({ value: question.id, about: question.kind }))
  }
}

function describePlace({ path }: Change, { newStart, state }: Hunk): string {
  return `${path}:${newStart} ${state}`
}

/** Lists the sessions with staged changes first, because most commands need those. */
async function sessionCandidates(workspace: Workspace): Promise<Candidate[]> {
  const all = await workspace.sessions()
  return [...all.filter(({ changes }) => changes > 0), ...all.filter(({ changes }) => changes === 0)].map(
    ({ id, changes }) => ({ value: id, about: `${pluralize(changes, 'change')} staged` }),
  )
}

async function onlySession(workspace: Workspace): Promise<string | undefined> {
  const [only, ...others] = (await workspace.sessions()).filter(({ changes }) => changes > 0)
  return others.length === 0 ? only?.id : undefined
}

/** How many commits are offered. Reading a long ledger to its start would keep the person waiting. */
const MOST_COMMITS = 200

/** Lists the newest commits, newest first. */
async function commitCandidates(workspace: Workspace): Promise<Candidate[]> {
  const found = new Map<string, string>()
  for await (const record of workspace.ledger.records({ order: 'newest' })) {
    const { tx, what, at, about } = toHistoryEntry(record)
    if (tx === undefined || found.has(tx) || (what !== 'commit' && what !== 'undo')) continue
    found.set(tx, `${at ?? ''} ${about}`.trim())
    if (found.size === MOST_COMMITS) break
  }
  return [...found].map(([value, about]) => ({ value, about }))
}

async function requestCandidates(workspace: Workspace): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (const { id, damaged } of await workspace.sessions()) {
    if (damaged !== undefined) continue
    const open: readonly Question[] = await (await workspace.review(id)).questions()
    for (const question of open)
      if (question.kind === 'scope') found.push({ value: question.id, about: question.globs.join(', ') })
  }
  return found
}
