import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ContentBlock } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { errorText } from '../../surface/index.js'
import { resolveInWorkspace, toSessionPath } from './paths.js'
import { defineTool, pathArgument, READS, REVIEWER, TEXT, text } from './tool.js'

/** The limit of bytes of all files in one answer of read_multiple_files. */
const MAX_TOGETHER = 16 * 1024 * 1024
const TOO_LONG = `One answer has at most ${MAX_TOGETHER / 1024 / 1024} MiB. Read this file by itself.`
/**
 * The limit of bytes of one file in an answer. An answer contains a text twice, and JSON has six characters for some bytes. V8 has no
 * string of more than 512 MiB, so a longer answer would never arrive.
 */
const MAX_ALONE = 32 * 1024 * 1024
const TOO_LARGE = `One answer has at most ${MAX_ALONE / 1024 / 1024} MiB.`

const textSchema = z.object({
  path: pathArgument,
  tail: z.number().optional().describe('Return only this many lines from the end.'),
  head: z.number().optional().describe('Return only this many lines from the start.'),
})

const shared = {
  schema: textSchema,
  output: TEXT,
  annotations: READS,
  plan: (args: z.output<typeof textSchema>) => ({
    class: 'read' as const,
    kind: 'read' as const,
    reads: [toSessionPath(args.path)],
    run: async (session: Session) => text(await readPart(session, args)),
  }),
}

export const readTextFile = defineTool('read_text_file', {
  ...shared,
  title: 'Read Text File',
  description:
    'Read a file as UTF-8 text, or only its first lines (`head`) or last lines (`tail`). Returns the staged content if the file is staged.',
})

export const readFile = defineTool('read_file', {
  ...shared,
  title: 'Read File (Deprecated)',
  description: 'Read a file as text. Deprecated: use read_text_file.',
})

export const readMultipleFiles = defineTool('read_multiple_files', {
  title: 'Read Multiple Files',
  description: 'Read several files as text. If one cannot be read, the others are still returned.',
  schema: z.object({ paths: z.array(pathArgument).min(1).describe('The files.') }),
  output: TEXT,
  annotations: READS,
  plan: ({ paths }) => ({
    class: 'read',
    kind: 'read',
    reads: paths.map(toSessionPath),
    run: async (session) => text((await readEach(session, paths)).join('\n---\n')),
  }),
})

/** Reads one file after another: a call can name a file many times. */
async function readEach(session: Session, paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  let left = MAX_TOGETHER
  for (const path of paths) {
    try {
      const place = await resolveInWorkspace(session, path)
      const { size } = await session.fs.promises.stat(place)
      if (size > left) throw new ToolFailure(TOO_LONG)
      found.push(`${path}:\n${await session.fs.promises.readFile(place, 'utf8')}\n`)
      left -= size
    } catch (error) {
      found.push(`${path}: Error - ${errorText(error)}`)
    }
  }
  return found
}

async function readPart(session: Session, { path, head, tail }: z.output<typeof textSchema>): Promise<string> {
  if (head && tail) throw new ToolFailure('Give head or tail, not both.')
  const place = await resolveInWorkspace(session, path)
  if (!head && !tail) return (await readWhole(session, place, ' Read fewer lines, with head or tail.')).toString()
  const whole = await session.fs.promises.readFile(place, 'utf8')
  const part = tail ? lastLines(whole, tail) : firstLines(whole, head ?? 0)
  if (Buffer.byteLength(part) > MAX_ALONE) throw new ToolFailure(`${TOO_LARGE} Read fewer lines.`)
  return part
}

async function readWhole(session: Session, place: string, advice = ''): Promise<Buffer> {
  const { size } = await session.fs.promises.stat(place)
  if (size > MAX_ALONE) throw new ToolFailure(`${TOO_LARGE}${advice}`)
  return session.fs.promises.readFile(place)
}

function firstLines(whole: string, count: number): string {
  const lines = whole.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.slice(0, Math.max(0, Math.ceil(count))).join('\n')
}

/** Counts as the filesystem server does: an empty line follows the last line break. */
function lastLines(whole: string, count: number): string {
  if (count < 0) return ''
  return whole.replaceAll('\r\n', '\n').split('\n').slice(-count).join('\n')
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.flac': 'audio/flac',
}

const media = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() })
const resource = z.object({ uri: z.string(), mimeType: z.string().optional(), blob: z.string() })

export const readMediaFile = defineTool('read_media_file', {
  title: 'Read Media File',
  description:
    'Read a file as base64 with its MIME type: images and audio as such, other files as an embedded resource.',
  schema: z.object({ path: pathArgument }),
  output: z.object({
    content: z.array(z.union([media, z.object({ type: z.literal('resource'), resource })])),
    ...REVIEWER,
  }),
  annotations: READS,
  plan: ({ path }) => ({
    class: 'read',
    kind: 'read',
    reads: [toSessionPath(path)],
    run: async (session) => {
      const place = await resolveInWorkspace(session, path)
      const block = mediaBlock(place, (await readWhole(session, place)).toString('base64'))
      return { content: [block], structured: { content: [block] } }
    },
  }),
})

function mediaBlock(place: string, data: string): ContentBlock {
  const mimeType = MIME_TYPES[extname(place).toLowerCase()] ?? 'application/octet-stream'
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: { uri: pathToFileURL(place).href, mimeType, blob: data } }
}
