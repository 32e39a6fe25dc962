import { isAbsolute } from 'node:path/posix'
import { sha256hex } from '../../../overlay/index.js'
import { defined } from '../../core/defined.js'
import { isObject } from '../../core/is-object.js'
import { ancestors } from '../places.js'
import { type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** Whether a file, or the first line of one, is a chat of Gemini CLI. */
export function isGeminiChat({ projectHash, sessionId, messages, type, toolCalls }: Fields): boolean {
  return textOf(projectHash) !== undefined && (textOf(sessionId) !== undefined || Array.isArray(messages))
    ? true
    : type === 'gemini' && Array.isArray(toolCalls)
}

/** A chat of Gemini CLI: one file, or one message on each line. A chat names its directory only by a digest. */
export function geminiCalls(chat: Fields, file: FileState): RecordedCall[] {
  file.session = textOf(chat.sessionId) ?? file.session ?? file.name
  const messages = Array.isArray(chat.messages) ? chat.messages : [chat]
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
  const named = calls
    .flatMap(({ args }) => (isObject(args) ? [args.file_path, args.absolute_path, args.dir_path, args.path] : []))
    .flatMap((path) => textOf(path) ?? [])
    .filter(isAbsolute)
  const places = [...new Set(named.flatMap(ancestors))]
  return places.find((place) => sha256hex(place) === digest)
}
