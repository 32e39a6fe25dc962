import { isObject } from '../../core/is-object.js'
import { type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** Lines of Claude Code's transcripts: each message is one, with the session and the directory. */
export function claudeCalls(line: Fields, file: FileState): RecordedCall[] {
  const { message } = line
  if (line.type !== 'assistant' || !isObject(message)) return []
  const session = textOf(line.sessionId) ?? file.name
  return listOf(message.content).flatMap((block) => {
    if (!isObject(block) || block.type !== 'tool_use') return []
    const tool = textOf(block.name)
    if (tool === undefined || !isObject(block.input)) return []
    return [{ host: 'claude', session, cwd: textOf(line.cwd), tool, input: block.input, id: textOf(block.id) }]
  })
}
