import { join, relative } from 'node:path'
import { z } from 'zod'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { type Glob, Globs } from './globs.js'
import { resolveInWorkspace } from './paths.js'
import { defineTool, pathArgument, READS, TEXT, text } from './tool.js'

/** Most entries of a tree, and most paths of a search. */
const MAX_ENTRIES = 10_000

const excludePatterns = z.array(z.string()).optional().default([]).describe('Globs of paths to leave out.')

interface Node {
  readonly name: string
  readonly type: 'file' | 'directory'
  readonly children?: Node[]
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
    `At most ${MAX_ENTRIES} entries; if there are more, the deepest are left out and a second text says so.`,
  schema: z.object({ path: pathArgument, excludePatterns }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, excludePatterns: patterns }) => ({
    class: 'read',
    kind: 'read',
    run: async (session) => {
      const { tree, cut } = await treeBelow(session, await resolveInWorkspace(session, path), patterns)
      return text(JSON.stringify(tree, null, 2), cutNote(cut))
    },
  }),
})

function cutNote(cut: readonly string[]): string | undefined {
  if (cut.length === 0) return undefined
  const some = cut.slice(0, 20).join(', ')
  return `Not shown, as the tree has more than ${MAX_ENTRIES} entries: what is in ${some}${cut.length > 20 ? ', …' : ''}. Ask for one of them.`
}

/** Breadth-first, so that the deepest entries are left out. */
async function treeBelow(session: Session, start: string, patterns: readonly string[]) {
  const globs = new Globs()
  const excluded = patterns.flatMap((pattern) => treeGlobs(globs, pattern))
  const tree: Node[] = []
  const waiting: { path: string; children: Node[] }[] = [{ path: start, children: tree }]
  const truncated: string[] = []
  let remaining = MAX_ENTRIES
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const entries = await entriesOf(session, next.path, next.path === start)
    const included = globs.exclude(entries, ({ path }) => relative(start, path), excluded)
    if (included.length > remaining) truncated.push(relative(start, next.path) || '.')
    for (const { name, path, isDirectory } of included.slice(0, remaining)) {
      const children: Node[] = []
      next.children.push(isDirectory ? { name, type: 'directory', children } : { name, type: 'file' })
      if (isDirectory) waiting.push({ path, children })
    }
    remaining -= Math.min(remaining, included.length)
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
    'Returns absolute paths.',
  schema: z.object({ path: pathArgument, pattern: z.string(), excludePatterns }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, pattern, excludePatterns: patterns }) => ({
    class: 'read',
    kind: 'read',
    run: async (session) => {
      const found = await findMatches(session, await resolveInWorkspace(session, path), pattern, patterns)
      if (found.length === 0) return text('No matches found')
      const more =
        found.length > MAX_ENTRIES ? [`[NOTE] The first ${MAX_ENTRIES} matches. Use a narrower pattern or path.`] : []
      return text([...found.slice(0, MAX_ENTRIES), ...more].join('\n'))
    },
  }),
})

async function findMatches(session: Session, start: string, pattern: string, patterns: readonly string[]) {
  const globs = new Globs()
  const glob = globs.compile(pattern)
  const excluded = patterns.map((each) => globs.compile(each))
  const found: string[] = []
  const visit = async (directory: string): Promise<void> => {
    const entries = await entriesOf(session, directory, directory === start)
    const included = globs.exclude(entries, ({ path }) => relative(start, path), excluded)
    const hits = new Set(glob(included.map(({ path }) => relative(start, path))))
    for (const [i, { path, isDirectory }] of included.entries()) {
      if (found.length > MAX_ENTRIES) return
      if (hits.has(i)) found.push(path)
      if (isDirectory) await visit(path)
    }
  }
  await visit(start)
  return found
}

/** Below the first directory, a removed or unreadable one is skipped. */
async function entriesOf(session: Session, directory: string, isFirst: boolean): Promise<Found[]> {
  try {
    const entries = await session.fs.promises.readdir(directory, { withFileTypes: true })
    return entries.map((entry) => ({
      name: entry.name,
      path: join(directory, entry.name),
      isDirectory: entry.isDirectory(),
    }))
  } catch (error) {
    if (!isFirst && ['ENOENT', 'EACCES', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
    throw error
  }
}
