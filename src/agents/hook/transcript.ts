import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes at the end of a transcript that are looked at. */
const TAIL = 64 * 1024

/** A model that is not named inside of a text: there its quotes are escaped. */
const MODEL = /(?<!\\)"model":"([^"\\<]{1,200})"/g

/**
 * The model that wrote last in a conversation, by the client's own transcript of it: JSON lines, in which Claude Code names the model in each
 * message (`message.model`) and Gemini CLI in each turn (`model`).
 * @returns undefined where nobody can say: there is no such file, it is no regular file, or it names none
 */
export function modelInTranscript(path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(fd)
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, TAIL))
    const length = readSync(fd, bytes, 0, bytes.length, stats.size - bytes.length)
    return [...bytes.toString('utf8', 0, length).matchAll(MODEL)].at(-1)?.[1]
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
