import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'

export interface WalkEntry {
  /** Relative to the start of the walk. */
  readonly path: string
  readonly directory: boolean
}

/** Directories of dependencies and build results. They and hidden ones are listed, but not entered. */
const SKIPPED_DIRECTORIES = new Set(
  'node_modules __pycache__ env venv dist out bundle vendor tmp temp deps pkg Pods build target'.split(' '),
)

/**
 * Walks a directory breadth-first, so that a limit cuts the deepest entries. Symlinks are listed, not followed.
 * @param enter whether to enter a directory below the first
 */
export async function* walk(
  session: Session,
  start: string,
  enter: (name: string) => boolean,
): AsyncGenerator<WalkEntry> {
  const waiting = ['']
  for (let at = 0; at < waiting.length; at++) {
    const prefix = waiting[at] ?? ''
    for (const entry of await readDirectory(session, start, prefix)) {
      const path = prefix + entry.name
      yield { path, directory: entry.isDirectory() }
      if (entry.isDirectory() && enter(entry.name)) waiting.push(`${path}/`)
    }
  }
}

async function readDirectory(session: Session, start: string, prefix: string) {
  const path = prefix === '' ? start : `${start.replace(/\/+$/, '')}/${prefix.slice(0, -1)}`
  try {
    return await session.fs.promises.readdir(path, { withFileTypes: true })
  } catch (error) {
    // A removed or unreadable directory below the first is skipped; the first one fails.
    const code = codeOf(error)
    if (prefix !== '' && (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR')) return []
    throw error
  }
}

export function shouldEnter(name: string): boolean {
  return !name.startsWith('.') && !SKIPPED_DIRECTORIES.has(name)
}
