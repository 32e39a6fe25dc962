import { lstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { ToolEntry } from '../../hooks/index.js'
import { assertAbsolute, resolveInWorkspace } from './paths.js'
import type { Tool } from './tool.js'

/** Milliseconds for the editor to return a buffer. */
const BUFFER_TIMEOUT_MS = 2_000

/** Reads the editor's buffer; undefined if there is none, or the editor does not answer in time. */
export type BufferReader = (params: unknown, patience: number) => Promise<unknown>

const readParams = z.looseObject({
  path: z.string(),
  line: z.int().nonnegative().nullish(),
  limit: z.int().nonnegative().nullish(),
})

const READ: ToolEntry = {
  class: 'read',
  kind: 'read',
  writes: () => [],
  reads: ({ path }) => (typeof path === 'string' ? [path] : []),
}

/**
 * `fs/read_text_file`. Returns the staged content of a staged file. For any other file it returns the editor's buffer, which may
 * have unsaved changes that the person sees.
 */
export function readTextFile(buffers: () => BufferReader | undefined): Tool {
  return {
    entry: READ,
    async run(session, params) {
      const { path, line, limit } = readParams.parse(params)
      const real = await resolveInWorkspace(session, path)
      const text = await session.fs.promises.readFile(real, 'utf8')
      const ask = buffers()
      const content = ask && isOnDisk(real, text) ? await readBuffer(ask, params, path) : undefined
      return { content: sliceLines(content ?? text, line ?? 1, limit ?? Number.POSITIVE_INFINITY) }
    },
  }
}

const buffer = z.looseObject({ content: z.string() })

/** Requests the whole buffer, because lines are counted here. */
async function readBuffer(ask: BufferReader, params: unknown, path: string): Promise<string | undefined> {
  const { sessionId } = z.looseObject({ sessionId: z.string() }).parse(params)
  const answer = buffer.safeParse(await ask({ sessionId, path }, BUFFER_TIMEOUT_MS))
  return answer.success ? answer.data.content : undefined
}

function isOnDisk(real: string, text: string): boolean {
  try {
    return lstatSync(real).isFile() && readFileSync(real, 'utf8') === text
  } catch {
    return false
  }
}

function sliceLines(text: string, first: number, limit: number): string {
  if (first <= 1 && limit === Number.POSITIVE_INFINITY) return text
  const from = Math.max(first, 1) - 1
  return text
    .split(/(?<=\n)/)
    .slice(from, from + limit)
    .join('')
}

const writeParams = z.looseObject({ path: z.string(), content: z.string() })

const WRITE: ToolEntry = {
  class: 'write',
  kind: 'edit',
  writes: ({ path }) => (typeof path === 'string' ? [{ path, effect: 'put' }] : []),
  reads: () => [],
}

/** `fs/write_text_file`: stages the file and its parent directories. */
export const writeTextFile: Tool = {
  entry: WRITE,
  async run(session, params) {
    const { path, content } = writeParams.parse(params)
    await session.fs.promises.mkdir(dirname(assertAbsolute(path)), { recursive: true })
    await session.fs.promises.writeFile(path, content)
    return {}
  },
}
