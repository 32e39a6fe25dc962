import type { ExecOptions } from '../core/exec-api.js'
import { shellWord } from '../core/shell-word.js'
import { riskOf } from './variables.js'

type Env = Readonly<Record<string, string | undefined>>

/** A command for display: one shell line with its input and the names, not the values, of its variables. */
export function lineOf(
  command: string | readonly string[],
  { env, stdin }: Pick<ExecOptions, 'env' | 'stdin'>,
): string {
  const line = typeof command === 'string' ? command : command.map(shellWord).join(' ')
  const names = Object.keys(env ?? {}).map((name) => `${name}=… `)
  const input = stdin === undefined ? '' : ` < (${sizeOf(stdin)})`
  return names.join('') + line + input
}

function sizeOf(stdin: NonNullable<ExecOptions['stdin']>): string {
  return typeof stdin !== 'string' && 'pipe' in stdin
    ? 'input as it comes'
    : `${Buffer.byteLength(stdin)} bytes of input`
}

/** The given variables that can change what a command runs. */
export function perilousVariables(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && riskOf(name) === 'perilous' ? [name] : [],
  )
}
