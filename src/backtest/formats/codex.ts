import { isObject } from '../../core/is-object.js'
import { shellWord } from '../../core/shell-word.js'
import { type Fields, type FileState, type RecordedCall, textOf } from '../recorded.js'

/** Names of Codex's shells in its rollouts. Its hooks call each of them `Bash`. */
const SHELLS = new Set(['shell', 'container.exec', 'shell_command', 'exec_command', 'local_shell', 'unified_exec'])

/** Whether a line is one of a rollout; the first versions wrote items without an envelope. */
export function isCodexLine({ type, payload }: Fields): boolean {
  return isObject(payload) || type === 'function_call' || type === 'local_shell_call' || type === 'custom_tool_call'
}

/** Lines of Codex's rollouts. */
export function codexCalls(line: Fields, file: FileState): RecordedCall[] {
  const item = isObject(line.payload) ? line.payload : line
  if (line.type === 'session_meta' || line.type === 'turn_context') noteContext(line.type, item, file)
  if (line.type !== 'response_item' && item !== line) return []
  const call = callOf(item)
  if (call === undefined) return []
  const { tool, input, cwd = file.cwd } = call
  return [{ host: 'codex', session: file.session ?? file.name, cwd, tool, input, id: textOf(item.call_id) }]
}

function noteContext(type: string, { id, cwd }: Fields, file: FileState): void {
  const directory = textOf(cwd)
  if (directory !== undefined) file.cwd = directory
  const session = type === 'session_meta' ? textOf(id) : undefined
  if (session !== undefined) file.session = session
}

interface Call {
  readonly tool: string
  readonly input: Fields
  readonly cwd?: string | undefined
}

function callOf(item: Fields): Call | undefined {
  const name = textOf(item.name)
  switch (item.type) {
    case 'function_call':
      return name === undefined ? undefined : functionCall(name, argumentsOf(item.arguments))
    case 'custom_tool_call':
      return name === undefined ? undefined : { tool: name, input: { input: item.input } }
    case 'local_shell_call':
      return functionCall('local_shell', isObject(item.action) ? item.action : {})
    default:
      return undefined
  }
}

function functionCall(name: string, input: Fields): Call {
  if (!SHELLS.has(name)) return { tool: name, input }
  const { command, cmd, workdir, working_directory: directory } = input
  const cwd = textOf(workdir) ?? textOf(directory)
  const argv = command ?? cmd
  if (!Array.isArray(argv)) return { tool: 'Bash', input: { command: argv }, cwd }
  const [first, patch] = argv.map(String)
  if (first === 'apply_patch' && argv.length === 2) return { tool: 'apply_patch', input: { command: patch }, cwd }
  return { tool: 'Bash', input: { command: lineOf(argv.map(String)) }, cwd }
}

/** The script of `bash -lc SCRIPT`; other words as one line. */
function lineOf(argv: readonly string[]): string {
  const [shell = '', option = '', script] = argv
  if (argv.length === 3 && script !== undefined && /(?:^|\/)(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(option))
    return script
  return argv.map(shellWord).join(' ')
}

/** Arguments are JSON in a string. */
function argumentsOf(value: unknown): Fields {
  if (isObject(value)) return value
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined
    return isObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
