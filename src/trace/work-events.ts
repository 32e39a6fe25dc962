import { closeSync, fstatSync, readSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import type { ProposedCommit } from '../core/exec-api.js'
import type { TraceRecord } from '../core/ledger-api.js'
import type { WorkEvent } from '../core/work.js'
import { openShared } from '../os/shared-files.js'
import { layoutAt } from '../os/workspace-state.js'
import { intentOf, text } from './fields.js'
import { ownRecordOf } from './own-record.js'

/** Bytes at the end of the ledger that are read, some ten thousand records: a review shows an agent's recent work. */
const MAX_READ = 4 << 20

/**
 * Reads a session's work from the newest part of the ledger. It explains changes to a reviewer and decides nothing, so
 * the chain is not checked. An absent ledger gives nothing.
 *
 * @param root the workspace's root: an absolute, physical path
 */
export function readSessionWork(root: string, session: string): WorkEvent[] {
  try {
    const records = newestLines(layoutAt(root).ledgerFile).flatMap(toRecord)
    const commits = proposalsIn(records, session)
    const events = commits.map(({ message, paths }): WorkEvent => ({ kind: 'commit', message, paths }))
    return [...workEventsOf(records, session), ...events]
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

/**
 * Reads the git commits of a session's git state, oldest first, without the paths that have been committed to disk since, and without
 * commits that have no path left. As {@link readSessionWork} otherwise.
 */
export function readProposals(root: string, session: string): ProposedCommit[] {
  return openProposals(root)(session)
}

/** Reads the newest part of the ledger once, for {@link readProposals} of many sessions. */
export function openProposals(root: string): (session: string) => ProposedCommit[] {
  const records = new Map<unknown, TraceRecord[]>()
  try {
    for (const record of newestLines(layoutAt(root).ledgerFile).flatMap(toRecord)) {
      const known = records.get(record.session_id)
      if (known === undefined) records.set(record.session_id, [record])
      else known.push(record)
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
  return (session) => proposalsIn(records.get(session) ?? [], session)
}

/** A record lists all commits that the session has then, so the last one counts: an amended or rebased commit is in none after it. */
function proposalsIn(records: readonly TraceRecord[], session: string): ProposedCommit[] {
  const ownRecords = records
    .filter((record) => record.session_id === session)
    .flatMap((record) => ownRecordOf(record, 'command', 'commit') ?? [])
  const last = ownRecords.findLastIndex((record) => record.type === 'command' && record.commits !== undefined)
  const record = ownRecords[last]
  if (record?.type !== 'command') return []
  // What a landing queue put on a branch is not on this machine's disk.
  const since = ownRecords.slice(last + 1).filter((each) => each.type === 'commit' && each.landed === undefined)
  const committed = new Set(
    since.flatMap(({ changes = [] }) => changes.flatMap(({ path, from = path }) => [path, from])),
  )
  return (record.commits ?? [])
    .map(({ id, message, paths }) => ({ id, message, paths: paths.filter((path) => !committed.has(path)) }))
    .filter(({ paths }) => since.length === 0 || paths.length > 0)
}

function newestLines(ledger: Parameters<typeof openShared>[0]): string[] {
  const fd = openShared(ledger)
  try {
    const { size } = fstatSync(fd)
    const start = Math.max(0, size - MAX_READ)
    const bytes = Buffer.alloc(size - start)
    const length = readSync(fd, bytes, 0, bytes.length, start)
    const lines = bytes.subarray(0, length).toString().split('\n')
    return start === 0 ? lines : lines.slice(1)
  } finally {
    closeSync(fd)
  }
}

function toRecord(line: string): TraceRecord[] {
  try {
    const record: unknown = JSON.parse(line)
    return typeof record === 'object' && record !== null ? [record as TraceRecord] : []
  } catch {
    return []
  }
}

/** Reads the tool calls and commands of a session from ledger records. Other records give nothing. */
export function workEventsOf(records: readonly TraceRecord[], session: string): WorkEvent[] {
  return records.flatMap((record) => (record.session_id === session ? (eventOf(record) ?? []) : []))
}

function eventOf(record: TraceRecord): WorkEvent | undefined {
  const own = ownRecordOf(record, 'tool_call', 'command')
  if (own === undefined) return undefined
  const common = defined({
    callId: text(record.req_id),
    at: text(record.timestamp),
    intentId: intentOf(record),
  })
  if (own.type === 'tool_call') return { kind: 'call', ...common, ...defined({ tool: own.tool_name, reason: own.why }) }
  // The record of a background command's start has nothing that the record of its end lacks.
  if (own.started === true || own.command === undefined) return undefined
  const command = typeof own.command === 'string' ? own.command : own.command.join(' ')
  return { kind: 'command', ...common, command, ...defined({ end: own.exit_code ?? own.ended }) }
}
