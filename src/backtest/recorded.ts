import type { HistoryHost } from '../agents/history/index.js'

/** One tool call of a history. */
export interface RecordedCall {
  readonly host: HistoryHost
  readonly session: string
  /** The directory of the call as recorded; undefined if the history does not say. */
  readonly cwd: string | undefined
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly id: string | undefined
  /** Gemini CLI: the MCP server of the tool. */
  readonly server?: string
}

/** The state that a file's earlier lines set for later ones. */
export interface FileState {
  /** The file's name without its ending: the session's id if the history names none. */
  readonly name: string
  session?: string
  cwd?: string
}

/**
 * The directories of sessions by their ids, for clients that keep them in a separate file. It is read before those with
 * calls.
 */
export type Directories = Map<string, string>

export type Fields = Readonly<Record<string, unknown>>

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
