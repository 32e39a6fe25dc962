import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'

/** A file that may hold a history. */
export interface HistoryFile {
  readonly path: string
  readonly bytes: number
}

/** Where clients keep their histories, below a home directory. */
const PLACES = [
  '.claude/projects',
  '.config/claude/projects',
  '.codex/sessions',
  '.codex/archived_sessions',
  '.gemini/tmp',
  '.local/share/opencode/storage',
  ...['.config', 'Library/Application Support', 'AppData/Roaming'].flatMap((base) =>
    ['Code', 'Code - Insiders', 'Cursor', 'VSCodium'].flatMap((editor) =>
      ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline'].map(
        (extension) => `${base}/${editor}/User/globalStorage/${extension}/tasks`,
      ),
    ),
  ),
  '.cline/data/tasks',
  '.cline/data/sessions',
] as const

/** The places of histories that exist on this machine. */
export function knownPlaces(home = homedir()): string[] {
  return PLACES.map((place) => join(home, place)).filter((place) =>
    statSync(place, { throwIfNoEntry: false })?.isDirectory(),
  )
}

const HISTORY = /\.jsonl?$/
/** Files of the same endings that hold no calls. */
const OTHER =
  /^(?:ui_messages|task_metadata|history_item|settings|logs|package|package-lock|tsconfig)\.json$|^history\.jsonl$/
/** Directories that hold no history, and opencode's messages, whose calls are in `part`. */
const SKIPPED = new Set(['node_modules', '.git', 'message', 'session_diff', 'checkpoints', 'file-history'])
const MAX_DEPTH = 12

/**
 * The files of histories at or below the given paths, in a fixed order. It follows no link below them.
 * @throws EscrowError `access_denied` for a path that cannot be read
 */
export function findHistories(paths: readonly string[]): HistoryFile[] {
  return paths.flatMap((path) => {
    try {
      const place = realpathSync(path)
      const stats = statSync(place)
      return stats.isDirectory() ? filesBelow(place, MAX_DEPTH) : [{ path: place, bytes: stats.size }]
    } catch (error) {
      throw new EscrowError('access_denied', `${path} cannot be read (${codeOf(error) ?? 'error'}).`, {
        hint: 'Name a file or a directory of histories.',
        cause: error,
      })
    }
  })
}

function filesBelow(directory: string, depth: number): HistoryFile[] {
  if (depth === 0) return []
  return entriesOf(directory).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, depth - 1)
    if (!entry.isFile() || !HISTORY.test(entry.name) || OTHER.test(entry.name)) return []
    const bytes = statSync(path, { throwIfNoEntry: false })?.size
    return bytes === undefined ? [] : [{ path, bytes }]
  })
}

/** Sorted by name, but opencode's sessions first: they say where the calls in `part` were made. */
function entriesOf(directory: string): Dirent[] {
  const order = (name: string) => (name === 'session' ? `\0${name}` : name)
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (order(a.name) < order(b.name) ? -1 : 1))
  } catch {
    // A directory that vanished, or that is another person's.
    return []
  }
}
