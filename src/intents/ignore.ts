import { type Layout, ORCHESTRATION } from '../core/layout.js'
import { cachedFile, type FileBytes } from '../os/cached-file.js'

/** `.intentignore`: each line disables an intent by its id, or is a glob of paths that need no intent. */

const MAX_BYTES = 64 * 1024

/** Relative to the root. */
export const IGNORE_FILES = ['.intentignore', `${ORCHESTRATION}/.intentignore`] as const

export type IgnoreLines =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly file: string; readonly message: string }

/**
 * Reads the lines of both files, at the root and in `.orchestration/`, without comments and blanks. Returns the same object while
 * neither file changes. Synchronous; never throws.
 */
export function openIgnoreFiles(layout: Layout): () => IgnoreLines {
  const files = layout.ignoreFiles.map((file) =>
    cachedFile(file, MAX_BYTES, (bytes) => parseIgnoreFile(file.name, bytes)),
  )
  let last: { readonly read: readonly IgnoreLines[]; readonly all: IgnoreLines } | undefined
  return () => {
    const read = files.map((lines) => lines())
    if (!last || read.some((each, i) => each !== last?.read[i])) last = { read, all: mergeLines(read) }
    return last.all
  }
}

function mergeLines(read: readonly IgnoreLines[]): IgnoreLines {
  const bad = read.find((each) => !each.ok)
  return bad ?? { ok: true, lines: read.flatMap((each) => (each.ok ? each.lines : [])) }
}

function parseIgnoreFile(name: string, file: FileBytes): IgnoreLines {
  if (file.kind === 'absent') return { ok: true, lines: [] }
  if (file.kind === 'unreadable') return { ok: false, file: name, message: file.message }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(file.bytes)
    return { ok: true, lines: linesOf(text) }
  } catch {
    return { ok: false, file: name, message: 'not valid UTF-8; save it as UTF-8' }
  }
}

/** The lines that are neither blank nor comments. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
}
