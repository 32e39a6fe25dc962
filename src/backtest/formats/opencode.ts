import { isObject } from '../../core/is-object.js'
import { type Directories, type Fields, listOf, type RecordedCall, textOf } from '../recorded.js'

/** A file of opencode's storage: a session, or a part of a message; or what `opencode export` prints. */
export function opencodeCalls(value: Fields, directories: Directories): RecordedCall[] | undefined {
  const { info, messages } = value
  if (isObject(info) && Array.isArray(messages)) {
    noteDirectory(info, directories)
    const parts = messages.flatMap((message) => (isObject(message) ? listOf(message.parts) : [])).filter(isObject)
    return parts.flatMap((part) => partCalls(part, directories))
  }
  if (textOf(value.id)?.startsWith('ses_') === true) {
    noteDirectory(value, directories)
    return []
  }
  return textOf(value.sessionID) === undefined ? undefined : partCalls(value, directories)
}

function noteDirectory({ id, directory }: Fields, directories: Directories): void {
  const [session, place] = [textOf(id), textOf(directory)]
  if (session !== undefined && place !== undefined) directories.set(session, place)
}

function partCalls({ type, tool, sessionID, callID, state }: Fields, directories: Directories): RecordedCall[] {
  const [name, session] = [textOf(tool), textOf(sessionID)]
  if (type !== 'tool' || name === undefined || session === undefined || !isObject(state)) return []
  const input = isObject(state.input) ? state.input : {}
  return [{ host: 'opencode', session, cwd: directories.get(session), tool: name, input, id: textOf(callID) }]
}
