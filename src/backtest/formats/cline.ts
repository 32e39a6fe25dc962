import { defined } from '../../core/defined.js'
import { isObject } from '../../core/is-object.js'
import { type Directories, type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** How both extensions name the directory in the details that they send with a message. */
const DIRECTORY = /# Current (Working|Workspace) Directory \(([^)\n]{1,4096})\)/

/**
 * A file of a session of Cline's command line: the session's description, which names its directory and is read first,
 * or its messages. Undefined for any other document.
 */
export function sessionCalls(value: Fields, directories: Directories): RecordedCall[] | undefined {
  const [about, directory] = [textOf(value.session_id), textOf(value.workspace_root) ?? textOf(value.cwd)]
  if (about !== undefined && directory !== undefined) {
    directories.set(about, directory)
    return []
  }
  const session = textOf(value.sessionId)
  if (session === undefined || textOf(value.agent) === undefined || !Array.isArray(value.messages)) return undefined
  return taskCalls(value.messages, { name: session, ...defined({ cwd: directories.get(session) }) })
}

/** A task of Cline or Roo Code: the messages between the extension and the model. */
export function taskCalls(messages: readonly unknown[], file: FileState): RecordedCall[] {
  let host: 'cline' | 'roo' = 'cline'
  const found: Omit<RecordedCall, 'host' | 'cwd'>[] = []
  for (const message of messages) {
    if (!isObject(message)) continue
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
    for (const block of listOf(blocks)) {
      if (!isObject(block)) continue
      const text = textOf(block.text)
      const [, word, directory] = text === undefined || message.role !== 'user' ? [] : (DIRECTORY.exec(text) ?? [])
      // The first message that names the directory names the workspace.
      if (directory !== undefined) file.cwd ??= directory
      if (word === 'Workspace') host = 'roo'
      if (message.role === 'assistant') found.push(...blockCalls(block, file.name))
    }
  }
  return found.map((call) => ({ ...call, host, cwd: file.cwd }))
}

function blockCalls(block: Fields, session: string): Omit<RecordedCall, 'host' | 'cwd'>[] {
  const text = textOf(block.text)
  if (block.type === 'text' && text !== undefined)
    return markedCalls(text).map((call) => ({ ...call, session, id: undefined }))
  const tool = textOf(block.name)
  if (block.type !== 'tool_use' || tool === undefined || !isObject(block.input)) return []
  return [{ session, tool, input: block.input, id: textOf(block.id) }]
}

const TOOLS =
  'write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|edit_file|execute_command|read_file|list_files|search_files|list_code_definition_names|new_rule'
/** The arguments that say what a call touches; those with the content of files are left out. */
const ARGUMENTS = ['path', 'file_path', 'command'] as const

/** Older versions write a call as tags in the text: `<read_file><path>a</path></read_file>`. */
function markedCalls(text: string): Pick<RecordedCall, 'tool' | 'input'>[] {
  const calls: Pick<RecordedCall, 'tool' | 'input'>[] = []
  const open = new RegExp(`<(${TOOLS})>`, 'g')
  /** Tools without a further end in the text. */
  const ended = new Set<string>()
  for (let tag = open.exec(text); tag !== null; tag = open.exec(text)) {
    const [whole, tool = ''] = tag
    const end = ended.has(tool) ? -1 : text.indexOf(`</${tool}>`, tag.index)
    if (end < 0) {
      ended.add(tool)
      continue
    }
    const body = text.slice(tag.index + whole.length, end)
    const args = ARGUMENTS.flatMap((name) => valuesIn(body, name).map((value) => [name, value] as const))
    const files = tool === 'read_file' ? { files: valuesIn(body, 'path').map((path) => ({ path })) } : {}
    calls.push({ tool, input: { ...files, ...Object.fromEntries(args.reverse()) } })
    open.lastIndex = end
  }
  return calls
}

/** The texts in all tags of a name. The content of a file may have such tags too, and comes after the arguments. */
function valuesIn(body: string, name: string): string[] {
  const content = body.search(/<(?:content|diff)>/)
  const before = content < 0 || name === 'command' ? body : body.slice(0, content)
  const values: string[] = []
  for (let at = before.indexOf(`<${name}>`); at >= 0; ) {
    const start = at + name.length + 2
    const end = before.indexOf(`</${name}>`, start)
    if (end < 0) break
    values.push(before.slice(start, end).trim())
    at = before.indexOf(`<${name}>`, end)
  }
  return values
}
