import { lstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { ToolEntry } from '../../hooks/index.js'
import { absolute, inside } from './paths.js'
import type { Tool } from './tool.js'

/** Milliseconds the editor has to say what stands in a buffer. */
const PATIENCE = 2_000

/** Asks the editor what stands in its buffer; undefined where it has none, or does not say in time. */
export type Buffers = (params: unknown, patience: number) => Promise<unknown>

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
 * `fs/read_text_file`. What is staged is the session's alone. A file as the disk has it may stand in an editor's buffer, changed
 * and not saved: that is what the person sees, and what is given.
 */
export function readTextFile(buffers: () => Buffers | undefined): Tool {
  return {
    entry: READ,
    async run(session, params) {
      const { path, line, limit } = readParams.parse(params)
      const real = await inside(session, path)
      const text = await session.fs.promises.readFile(real, 'utf8')
      const ask = buffers()
      const shown = ask && isOnDisk(real, text) ? await bufferOf(ask, params, path) : undefined
      return { content: linesOf(shown ?? text, line ?? 1, limit ?? Number.POSITIVE_INFINITY) }
    },
  }
}

const buffer = z.looseObject({ content: z.string() })

/** The whole of it: lines are counted here. */
async function bufferOf(ask: Buffers, params: unknown, path: string): Promise<string | undefined> {
  const { sessionId } = z.looseObject({ sessionId: z.string() }).parse(params)
  const answer = buffer.safeParse(await ask({ sessionId, path }, PATIENCE))
  return answer.success ? answer.data.content : undefined
}

function isOnDisk(real: string, text: string): boolean {
  try {
    return lstatSync(real).isFile() && readFileSync(real, 'utf8') === text
  } catch {
    return false
  }
}

function linesOf(text: string, first: number, limit: number): string {
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

/** `fs/write_text_file`: staged, with the directories on its way. */
export const writeTextFile: Tool = {
  entry: WRITE,
  async run(session, params) {
    const { path, content } = writeParams.parse(params)
    await session.fs.promises.mkdir(dirname(absolute(path)), { recursive: true })
    await session.fs.promises.writeFile(path, content)
    return {}
  },
}
