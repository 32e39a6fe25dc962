import { basename } from 'node:path'
import { readRegular } from '../../overlay/index.js'
import { defined } from '../core/defined.js'
import { isObject } from '../core/is-object.js'
import type { HistoryFile } from './find-files.js'
import { claudeCalls } from './formats/claude.js'
import { sessionCalls, taskCalls } from './formats/cline.js'
import { codexCalls, isCodexLine } from './formats/codex.js'
import { geminiCalls, geminiDirectory, isGeminiChat } from './formats/gemini.js'
import { ledgerCalls } from './formats/ledger.js'
import { opencodeCalls } from './formats/opencode.js'
import { type Line, MAX_LINE, readLines } from './read-lines.js'
import type { Directories, Fields, FileState, RecordedCall } from './recorded.js'

/** The numbers of files, lines and calls that were read. */
export interface ReadCounts {
  files: number
  bytes: number
  lines: number
  /** Lines and files that are not JSON, are too long, or end in the middle. */
  broken: number
  /** Files that cannot be read, or are not a history. */
  skippedFiles: number
  /** Tool calls, also those of sessions that are left out. */
  calls: number
  /** Calls whose id was read before: clients copy a conversation when they resume it. */
  repeated: number
}

export interface HistoryOptions {
  readonly files: readonly HistoryFile[]
  readonly counts: ReadCounts
  /** Called with the bytes read so far. */
  readonly progress?: (bytes: number) => void
}

export function emptyCounts(): ReadCounts {
  return { files: 0, bytes: 0, lines: 0, broken: 0, skippedFiles: 0, calls: 0, repeated: 0 }
}

/** The ids of this many calls are remembered, to find repeated ones. */
const MAX_IDS = 200_000

/**
 * The tool calls of histories, in the order of the files. Parts that cannot be read are counted, and do not stop the
 * rest.
 */
export function* readHistories({ files, counts, progress }: HistoryOptions): Generator<RecordedCall> {
  const directories: Directories = new Map()
  const ids = new Set<string>()
  const isRepeated = ({ id, session }: RecordedCall) => {
    if (id === undefined) return false
    const key = `${session}\0${id}`
    const known = ids.has(key)
    if (ids.size >= MAX_IDS) ids.clear()
    ids.add(key)
    return known
  }
  for (const file of files) {
    const before = counts.bytes
    try {
      for (const call of callsIn(file, counts, directories, (bytes) => progress?.(before + bytes))) {
        if (isRepeated(call)) counts.repeated += 1
        else {
          counts.calls += 1
          yield call
        }
      }
      counts.files += 1
    } catch {
      counts.skippedFiles += 1
    }
    counts.bytes = before + file.bytes
  }
}

function* callsIn(
  file: HistoryFile,
  counts: ReadCounts,
  directories: Directories,
  progress: (bytes: number) => void,
): Generator<RecordedCall> {
  const state: FileState = { name: nameOf(file.path), ...defined({ cwd: geminiDirectory(file.path) }) }
  if (file.path.endsWith('.json')) {
    yield* documentCalls(file, counts, directories, state)
    return
  }
  for (const line of readLines(file.path, progress)) {
    if (line.length === 0) continue
    counts.lines += 1
    const value = lineValue(line)
    if (value === undefined) counts.broken += 1
    else if (isObject(value)) yield* lineCalls(value, state)
  }
}

/** A task of Cline is named by its directory. */
function nameOf(path: string): string {
  const name = basename(path).replace(/\.jsonl?$/, '')
  return name === 'api_conversation_history' ? (path.split('/').at(-2) ?? name) : name
}

function* documentCalls(file: HistoryFile, counts: ReadCounts, directories: Directories, state: FileState) {
  const value = file.bytes > MAX_LINE ? undefined : parse(readRegular(file.path, false))
  if (value === undefined) {
    counts.broken += 1
    return
  }
  if (Array.isArray(value)) yield* taskCalls(value, state)
  else if (isObject(value))
    yield* isGeminiChat(value)
      ? geminiCalls(value, state)
      : (sessionCalls(value, directories) ?? opencodeCalls(value, directories) ?? [])
}

const BRACE = [0x7b, 0x7d] as const
/** Every line with a call, or with what later calls need, has one of these. */
const MARKS = ['tool_use"', 'payload"', 'function_call"', '_call"', 'toolCalls"', 'projectHash"', 'dev.escrowfs"'].map(
  (mark) => Buffer.from(mark),
)

/** The value of a line; null for one without a call, which is not parsed; undefined for a broken one. */
function lineValue(line: Line): unknown {
  if (line === 'too long') return undefined
  if (line[0] === BRACE[0] && !MARKS.some((mark) => line.includes(mark))) {
    const end = line.at(-1) === 0x0d ? line.at(-2) : line.at(-1)
    return end === BRACE[1] ? null : undefined
  }
  return parse(line)
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

function lineCalls(line: Fields, state: FileState): RecordedCall[] {
  if (isObject(line.message)) return claudeCalls(line, state)
  if (isCodexLine(line)) return codexCalls(line, state)
  if (isGeminiChat(line)) return geminiCalls(line, state)
  return ledgerCalls(line, state)
}
