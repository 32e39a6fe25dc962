import { isObject } from '../../core/is-object.js'
import { shellWord } from '../../core/shell-word.js'
import { type Fields, type FileState, listOf, type RecordedCall, textOf } from '../recorded.js'

/** Lines of our own ledger: the commands of agents, and the paths that their tool calls changed. */
export function ledgerCalls(line: Fields, { name }: FileState): RecordedCall[] {
  const fields = isObject(line.metadata) ? line.metadata['dev.escrowfs'] : undefined
  if (!isObject(fields)) return []
  const common = { host: 'escrow', session: textOf(line.session_id) ?? name, cwd: '/workspace', id: undefined } as const
  return callsOf(fields).map((call) => ({ ...common, ...call }))
}

function callsOf(fields: Fields): Pick<RecordedCall, 'tool' | 'input'>[] {
  if (fields.type === 'command') {
    // The second record of a command in the background, and a decision about refused paths, are not calls.
    const isCall = fields.quarantine === undefined && (fields.background === undefined || fields.started === true)
    const command = isCall ? lineOf(fields.command) : undefined
    return command === undefined ? [] : [{ tool: 'execute_command', input: { command } }]
  }
  if (fields.type !== 'tool_call' || fields.tool_name === 'exec') return []
  return listOf(fields.paths).flatMap((path) =>
    typeof path === 'string' ? [{ tool: 'write_file', input: { path } }] : [],
  )
}

function lineOf(command: unknown): string | undefined {
  return Array.isArray(command) ? command.map((word) => shellWord(String(word))).join(' ') : textOf(command)
}
