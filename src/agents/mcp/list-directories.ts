import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Session } from '../../index.js'
import { inside, rootOf } from './paths.js'
import { defineTool, pathArgument, READS, TEXT, text } from './tool.js'

/** Entries of a directory that are shown at once. */
const PAGE = 5_000

const offset = z
  .int()
  .nonnegative()
  .default(0)
  .describe(`The first entry to list, in a directory of more than ${PAGE} entries.`)

const looks = { class: 'read', kind: 'read' } as const

export const listDirectory = defineTool('list_directory', {
  title: 'List Directory',
  description: 'List a directory, with [FILE] or [DIR] before each name.',
  schema: z.object({ path: pathArgument, offset }),
  output: TEXT,
  annotations: READS,
  plan: ({ path, offset: from }) => ({
    ...looks,
    run: async (session) => {
      const entries = await entriesOf(session, await inside(session, path))
      const lines = entries.slice(from, from + PAGE).map((entry) => `${markOf(entry.isDirectory())} ${entry.name}`)
      return text([...lines, ...noteOf('list_directory', entries.length, from)].join('\n'))
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
    ...looks,
    run: async (session) => {
      const place = await inside(session, path)
      const found = (await entriesOf(session, place)).map((entry) => sizeOf(session, place, entry))
      const sorted = found.sort((a, b) => (sortBy === 'size' ? b.size - a.size : a.name.localeCompare(b.name)))
      const shown = sorted.slice(from, from + PAGE).map(lineOf)
      return text([...shown, ...noteOf('list_directory_with_sizes', found.length, from), ...sumOf(found)].join('\n'))
    },
  }),
})

interface Sized {
  readonly name: string
  readonly isDirectory: boolean
  readonly size: number
}

async function entriesOf(session: Session, place: string): Promise<Dirent[]> {
  return session.fs.promises.readdir(place, { withFileTypes: true })
}

function markOf(isDirectory: boolean): string {
  return isDirectory ? '[DIR]' : '[FILE]'
}

/** A line more, where not all entries are there. */
function noteOf(tool: string, all: number, from: number): string[] {
  const next = from + PAGE
  if (next >= all) return []
  return [`[NOTE] ${from + 1} to ${next} of ${all} entries. Call ${tool} with offset ${next} for more.`]
}

/** What cannot be looked at counts nothing. */
function sizeOf(session: Session, place: string, entry: Dirent): Sized {
  let size = 0
  try {
    size = session.fs.statSync(join(place, entry.name)).size
  } catch {}
  return { name: entry.name, isDirectory: entry.isDirectory(), size }
}

function lineOf({ name, isDirectory, size }: Sized): string {
  return `${markOf(isDirectory)} ${name.padEnd(30)} ${isDirectory ? '' : sizeText(size).padStart(10)}`
}

function sumOf(found: readonly Sized[]): string[] {
  const files = found.filter(({ isDirectory }) => !isDirectory)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const counts = `Total: ${files.length} files, ${found.length - files.length} directories`
  return ['', counts, `Combined size: ${sizeText(bytes)}`]
}

function sizeText(bytes: number): string {
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
    ...looks,
    run: async (session) => {
      const stats = await session.fs.promises.stat(await inside(session, path))
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
  plan: () => ({ ...looks, run: async (session) => text(`Allowed directories:\n${rootOf(session)}`) }),
})
