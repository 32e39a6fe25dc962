import { join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { type Glob, Globs } from './globs.js'
import { resolveInWorkspace } from './paths.js'
import { defineTool, pathArgument, READS, TEXT, text } from './tool.js'

/** Most entries of a tree, and most paths of a search. */
const MAX_ENTRIES = 10_000
/** Deepest level that a tree or a search enters: the time to resolve a path grows with its levels. */
const MAX_LEVELS = 200

const excludePatterns = z.array(z.string()).optional().default([]).describe('Globs of paths to leave out.')

const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'ENOTDIR', 'ENAMETOOLONG'])

interface Node {
  readonly name: string
  readonly type: 'file' | 'directory'
  readonly children?: Node[]
}

/** Where a tree or a search begins, and the client's signal that cancels it. */
interface Walk {
  readonly session: Session
  readonly start: string
  readonly signal: AbortSignal
}

interface Found {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly isDirectory: boolean
}

export const directoryTree = defineTool('directory_tree', {
  title: 'Directory Tree',
  description:
    'Return a directory tree as JSON: `name`, `type` (file or directory) and, for directories, `children`. ' +
    `At most ${MAX_ENTRIES} entries and ${MAX_LEVELS} levels; if there are more, the deepest are left out and a second text says so.`,
  schema: z.object({ path: pathArgument, excludePatterns }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, excludePatterns: patterns }, _session, { signal }) => ({
    class: 'read',
    kind: 'read',
    run: async (session) => {
      const start = await resolveInWorkspace(session, path)
      const { tree, cut } = await treeBelow({ session, start, signal }, patterns)
      return text(JSON.stringify(tree, null, 2), cutNote(cut))
    },
  }),
})

function cutNote(cut: readonly string[]): string | undefined {
  if (cut.length === 0) return undefined
  const some = cut.slice(0, 20).join(', ')
  return `Not shown, as the tree has more than ${MAX_ENTRIES} entries or ${MAX_LEVELS} levels: what is in ${some}${cut.length > 20 ? ', …' : ''}. Ask for one of them.`
}

/** Breadth-first, so that the deepest entries are left out. */
async function treeBelow(walk: Walk, patterns: readonly string[]) {
  const { start } = walk
  const globs = new Globs()
  const excluded = patterns.flatMap((pattern) => treeGlobs(globs, pattern))
  const tree: Node[] = []
  const waiting: { path: string; level: number; children: Node[] }[] = [{ path: start, level: 0, children: tree }]
  const truncated: string[] = []
  let remaining = MAX_ENTRIES
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { path: directory, level } = next
    const entries = await entriesOf(walk, directory)
    const included = globs.exclude(entries, ({ path }) => relative(start, path), excluded)
    const room = level < MAX_LEVELS ? remaining : 0
    if (included.length > room) truncated.push(relative(start, directory) || '.')
    for (const { name, path, isDirectory } of included.slice(0, room)) {
      const children: Node[] = []
      next.children.push(isDirectory ? { name, type: 'directory', children } : { name, type: 'file' })
      if (isDirectory) waiting.push({ path, level: level + 1, children })
    }
    remaining -= Math.min(room, included.length)
  }
  return { tree, cut: truncated }
}

/** A name without wildcards is excluded at any depth. */
function treeGlobs(globs: Globs, pattern: string): Glob[] {
  const all = pattern.includes('*') ? [pattern] : [pattern, `**/${pattern}`, `**/${pattern}/**`]
  return all.map((each) => globs.compile(each))
}

export const searchFiles = defineTool('search_files', {
  title: 'Search Files',
  description:
    'Search a directory for files and directories whose relative path matches a glob: `*.ts` at its top, `**/*.ts` at any depth. ' +
    `Returns absolute paths, from at most ${MAX_LEVELS} levels.`,
  schema: z.object({ path: pathArgument, pattern: z.string(), excludePatterns }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, pattern, excludePatterns: patterns }, _session, { signal }) => ({
    class: 'read',
    kind: 'read',
    run: async (session) => {
      const start = await resolveInWorkspace(session, path)
      const { found, isCut } = await findMatches({ session, start, signal }, pattern, patterns)
      const shown = found.length === 0 ? ['No matches found'] : found.slice(0, MAX_ENTRIES)
      const notes = [
        ...(found.length > MAX_ENTRIES ? [`The first ${MAX_ENTRIES} matches. Use a narrower pattern or path.`] : []),
        ...(isCut ? [`What is more than ${MAX_LEVELS} levels down was not searched. Search from a deeper path.`] : []),
      ]
      return text([...shown, ...notes.map((note) => `[NOTE] ${note}`)].join('\n'))
    },
  }),
})

async function findMatches(walk: Walk, pattern: string, patterns: readonly string[]) {
  const { start } = walk
  const globs = new Globs()
  const glob = globs.compile(pattern)
  const excluded = patterns.map((each) => globs.compile(each))
  const found: string[] = []
  let isCut = false
  const visit = async (directory: string, level: number): Promise<void> => {
    if (level >= MAX_LEVELS) {
      isCut = true
      return
    }
    const entries = await entriesOf(walk, directory)
    const included = globs.exclude(entries, ({ path }) => relative(start, path), excluded)
    const hits = new Set(glob(included.map(({ path }) => relative(start, path))))
    for (const [i, { path, isDirectory }] of included.entries()) {
      if (found.length > MAX_ENTRIES) return
      if (hits.has(i)) found.push(path)
      if (isDirectory) await visit(path, level + 1)
    }
  }
  await visit(start, 0)
  return { found, isCut }
}

/** Below the first directory, a removed or unreadable one is skipped. */
async function entriesOf({ session, start, signal }: Walk, directory: string): Promise<Found[]> {
  // Only between turns of the event loop can the client cancel.
  await setImmediate()
  signal.throwIfAborted()
  try {
    const entries = await session.fs.promises.readdir(directory, { withFileTypes: true })
    return entries.map((entry) => ({
      name: entry.name,
      path: join(directory, entry.name),
      isDirectory: entry.isDirectory(),
    }))
  } catch (error) {
    if (directory !== start && UNREADABLE.has(codeOf(error) ?? '')) return []
    throw error
  }
}
