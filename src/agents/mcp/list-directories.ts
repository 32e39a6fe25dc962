import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Session } from '../../index.js'
import { resolveInWorkspace, rootOf } from './paths.js'
import { defineTool, pathArgument, READS, TEXT, text } from './tool.js'

/** Most entries of a directory in one response. */
const MAX_ENTRIES = 5_000

const offset = z
  .int()
  .nonnegative()
  .default(0)
  .describe(`The first entry to list, in a directory of more than ${MAX_ENTRIES} entries.`)

const READ_PLAN = { class: 'read', kind: 'read' } as const

export const listDirectory = defineTool('list_directory', {
  title: 'List Directory',
  description: 'List a directory, with [FILE] or [DIR] before each name.',
  schema: z.object({ path: pathArgument, offset }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, offset: from }) => ({
    ...READ_PLAN,
    run: async (session) => {
      const entries = await readEntries(session, await resolveInWorkspace(session, path))
      const lines = entries
        .slice(from, from + MAX_ENTRIES)
        .map((entry) => `${entryMark(entry.isDirectory())} ${entry.name}`)
      return text([...lines, ...pageNote('list_directory', entries.length, from)].join('\n'))
    },
  }),
})

export const listDirectoryWithSizes = defineTool('list_directory_with_sizes', {
  title: 'List Directory with Sizes',
  description: 'List a directory with the sizes of its files and their sum, sorted by name or size.',
  schema: z.object({
    path: pathArgument,
    sortBy: z.enum(['name', 'size']).optional().default('name').describe('The sort order.'),
    offset,
  }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, sortBy, offset: from }) => ({
    ...READ_PLAN,
    run: async (session) => {
      const place = await resolveInWorkspace(session, path)
      const found = (await readEntries(session, place)).map((entry) => measureEntry(session, place, entry))
      const sorted = found.sort((a, b) => (sortBy === 'size' ? b.size - a.size : a.name.localeCompare(b.name)))
      const page = sorted.slice(from, from + MAX_ENTRIES).map(formatEntry)
      return text(
        [...page, ...pageNote('list_directory_with_sizes', found.length, from), ...formatTotal(found)].join('\n'),
      )
    },
  }),
})

interface SizedEntry {
  readonly name: string
  readonly isDirectory: boolean
  readonly size: number
}

async function readEntries(session: Session, place: string): Promise<Dirent[]> {
  return session.fs.promises.readdir(place, { withFileTypes: true })
}

function entryMark(isDirectory: boolean): string {
  return isDirectory ? '[DIR]' : '[FILE]'
}

/** A note with the next offset, if entries are left out. */
function pageNote(tool: string, all: number, from: number): string[] {
  const next = from + MAX_ENTRIES
  if (next >= all) return []
  return [`[NOTE] ${from + 1} to ${next} of ${all} entries. Call ${tool} with offset ${next} for more.`]
}

/** An entry that cannot be read counts as 0 bytes. */
function measureEntry(session: Session, place: string, entry: Dirent): SizedEntry {
  let size = 0
  try {
    size = session.fs.statSync(join(place, entry.name)).size
  } catch {}
  return { name: entry.name, isDirectory: entry.isDirectory(), size }
}

function formatEntry({ name, isDirectory, size }: SizedEntry): string {
  return `${entryMark(isDirectory)} ${name.padEnd(30)} ${isDirectory ? '' : formatSize(size).padStart(10)}`
}

function formatTotal(found: readonly SizedEntry[]): string[] {
  const files = found.filter(({ isDirectory }) => !isDirectory)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const counts = `Total: ${files.length} files, ${found.length - files.length} directories`
  return ['', counts, `Combined size: ${formatSize(bytes)}`]
}

function formatSize(bytes: number): string {
  const units = ['KB', 'MB', 'GB', 'TB']
  if (bytes < 1024) return `${bytes} B`
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length)
  return `${(bytes / 1024 ** power).toFixed(2)} ${units[power - 1]}`
}

export const getFileInfo = defineTool('get_file_info', {
  title: 'Get File Info',
  description: "A file's or directory's size, times, permissions and type.",
  schema: z.object({ path: pathArgument }),
  output: TEXT,
  annotations: READS,
  plan: ({ path }) => ({
    ...READ_PLAN,
    run: async (session) => {
      const stats = await session.fs.promises.stat(await resolveInWorkspace(session, path))
      const info = {
        size: stats.size,
        created: stats.birthtime,
        modified: stats.mtime,
        accessed: stats.atime,
        isDirectory: stats.isDirectory(),
        isFile: stats.isFile(),
        permissions: stats.mode.toString(8).slice(-3),
      }
      return text(
        Object.entries(info)
          .map(([key, value]) => `${key}: ${value}`)
          .join('\n'),
      )
    },
  }),
})

export const listAllowedDirectories = defineTool('list_allowed_directories', {
  title: 'List Allowed Directories',
  description: 'Show the workspace that this server governs. No tool reads or writes outside it.',
  schema: z.object({}),
  output: TEXT,
  annotations: READS,
  plan: () => ({ ...READ_PLAN, run: async (session) => text(`Allowed directories:\n${rootOf(session)}`) }),
})
