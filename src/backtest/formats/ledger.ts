import { isObject } from '../../core/is-object.js'
import { shellWord } from '../../core/shell-word.js'
import { type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** Lines of our own ledger: the commands of agents, and the paths that their tool calls changed. */
export function ledgerCalls(line: Fields, { name }: FileState): RecordedCall[] {
  const own = isObject(line.metadata) ? line.metadata['dev.escrowfs'] : undefined
  if (!isObject(own)) return []
  const common = { host: 'escrow', session: textOf(line.session_id) ?? name, cwd: '/workspace', id: undefined } as const
  return callsOf(own).map((call) => ({ ...common, ...call }))
}

function callsOf(own: Fields): Pick<RecordedCall, 'tool' | 'input'>[] {
  if (own.type === 'command') {
    // The second record of a command in the background, and a decision about refused paths, are not calls.
    const isCall = own.quarantine === undefined && (own.background === undefined || own.started === true)
    const command = isCall ? lineOf(own.command) : undefined
    return command === undefined ? [] : [{ tool: 'execute_command', input: { command } }]
  }
  if (own.type !== 'tool_call' || own.tool_name === 'exec') return []
  return listOf(own.paths).flatMap((path) =>
    typeof path === 'string' ? [{ tool: 'write_file', input: { path } }] : [],
  )
}

function lineOf(command: unknown): string | undefined {
  return Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(' ') : textOf(command)
}
