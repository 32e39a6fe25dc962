import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'

export interface Found {
  /** Relative to where the walk began. */
  readonly path: string
  readonly directory: boolean
}

/** Directories of dependencies and build results: named, never entered. Hidden ones are treated alike. */
const SKIPPED = new Set(
  'node_modules __pycache__ env venv dist out bundle vendor tmp temp deps pkg Pods build target'.split(' '),
)

/**
 * Lists what is below a directory, level by level, so that a limit cuts the deepest. Symlinks are named, not followed.
 * @param enter decides for a directory below the first whether the walk goes into it.
 */
export async function* walk(session: Session, start: string, enter: (name: string) => boolean): AsyncGenerator<Found> {
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
    // A directory below that went away or cannot be read hides no others; the one asked for does fail.
    const code = codeOf(error)
    if (prefix !== '' && (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR')) return []
    throw error
  }
}

export function worthEntering(name: string): boolean {
  return !name.startsWith('.') && !SKIPPED.has(name)
}
