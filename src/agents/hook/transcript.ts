import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes at the end of a transcript that are read. */
const TAIL_BYTES = 64 * 1024

/** A model field outside of a text: in a text its quotes are escaped. */
const MODEL = /(?<!\\)"model":"([^"\\<]{1,200})"/g

/**
 * The model of the last message in a client's transcript of a conversation. It is JSON lines: Claude Code has the model in each
 * message (`message.model`), Gemini CLI in each turn (`model`).
 * @returns undefined for a missing or special file, or a transcript without a model
 */
export function modelInTranscript(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, TAIL_BYTES))
    const length = readSync(fd, bytes, 0, bytes.length, stats.size - bytes.length)
    return [...bytes.toString('utf8', 0, length).matchAll(MODEL)].at(-1)?.[1]
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
