import { statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path/posix'
import { readRegular, sha256hex } from '../../../overlay/index.js'
import { defined } from '../../core/defined.js'
import { isObject } from '../../core/is-object.js'
import { ancestors } from '../places.js'
import { type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** The file beside the chats that names their directory. Older versions have none. */
const ROOT_FILE = '.project_root'
const MAX_ROOT_FILE = 4_096

/** The directory of the chats in a file, from the client's file beside them. */
export function geminiDirectory(path: string): string | undefined {
  if (basename(dirname(path)) !== 'chats') return undefined
  const file = join(dirname(dirname(path)), ROOT_FILE)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? MAX_ROOT_FILE) >= MAX_ROOT_FILE) return undefined
  const directory = readRegular(file, false).toString('utf8').trim()
  return isAbsolute(directory) ? directory : undefined
}

/** Whether a file, or the first line of one, is a chat of Gemini CLI. */
export function isGeminiChat({ projectHash, sessionId, messages, type, toolCalls, $set }: Fields): boolean {
  if (isObject($set)) return true
  return textOf(projectHash) !== undefined && (textOf(sessionId) !== undefined || Array.isArray(messages))
    ? true
    : type === 'gemini' && Array.isArray(toolCalls)
}

/** A chat of Gemini CLI: one file, or one message on each line. A chat names its directory only by a digest. */
export function geminiCalls(chat: Fields, file: FileState): RecordedCall[] {
  file.session = textOf(chat.sessionId) ?? file.session ?? file.name
  // A line with `$set` replaces fields of the chat. Repeated calls are recognized by their ids.
  const { messages: all } = isObject(chat.$set) ? chat.$set : chat
  const messages = Array.isArray(all) ? all : [chat]
  const tools = messages.flatMap((message) => (isObject(message) ? listOf(message.toolCalls) : [])).filter(isObject)
  const directory = file.cwd ?? directoryOf(tools, textOf(chat.projectHash))
  if (directory !== undefined) file.cwd = directory
  const { session, cwd } = file
  return tools.flatMap((call) => {
    const tool = textOf(call.name)
    if (tool === undefined) return []
    const input = isObject(call.args) ? call.args : {}
    const server = /^mcp_{1,2}([^_]+)_/.exec(tool)?.[1]
    return [{ host: 'gemini', session, cwd, tool, input, id: textOf(call.id), ...defined({ server }) }]
  })
}

/** The directory above a named file whose digest is the chat's. */
function directoryOf(calls: readonly Fields[], digest: string | undefined): string | undefined {
  const entries = calls
    .flatMap(({ args }) => (isObject(args) ? [args.file_path, args.absolute_path, args.dir_path, args.path] : []))
    .flatMap((path) => textOf(path) ?? [])
    .filter(isAbsolute)
  const places = [...new Set(entries.flatMap(ancestors))]
  return places.find((place) => sha256hex(place) === digest)
}
