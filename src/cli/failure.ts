import { defined } from '../core/defined.js'
import { adviceFor } from '../core/errno-advice.js'
import { type Colors, EXIT, type ExitCode, type Io, NoWorkspace, UsageError } from './context.js'
import { oneLine } from './printable.js'

/**
 * Prints an error with its refusals, hint and commands to stderr. Returns the exit code.
 * @param session the id that was typed, for the commands in hints
 */
export function reportError(error: unknown, io: Io, colors: Colors, session = 'SESSION'): ExitCode {
  const { message, reason, hint, refused, commands, output } = detailsOf(error)
  io.err(`${colors.red('escrow:')} ${oneLine(message)}${reason === undefined ? '' : ` (${oneLine(reason)})`}\n`)
  for (const line of output?.trimEnd().split('\n') ?? []) io.err(`  ${oneLine(line)}\n`)
  // Some messages already contain those of the paths.
  for (const each of refused.filter((each) => each.message === '' || !message.includes(each.message)))
    io.err(`  ${oneLine(withPath(each))}\n`)
  if (hint !== undefined) io.err(`${oneLine(hint.replace(SESSION, () => session))}\n`)
  for (const command of commands) io.err(`  ${oneLine(command)}\n`)
  if (error instanceof UsageError) return EXIT.usage
  return reason === 'no_orchestration' || error instanceof NoWorkspace ? EXIT.noWorkspace : EXIT.refused
}

/** Joins a message with what follows it on one line. The errors of the system end without a full stop. */
export function joinSentences(...parts: readonly string[]): string {
  const [last = '', ...others] = parts.filter((part) => part !== '').reverse()
  const ended = others.reverse().map((part) => (/[.!?:]$/.test(part) ? part : `${part}.`))
  return [...ended, last].join(' ')
}

/** The session in a command of a hint. */
const SESSION = /(?<='escrow [^']*)\bSESSION\b/g

function withPath({ path, message }: { readonly path: string; readonly message: string }): string {
  return message.startsWith(`${path} `) ? message : `${path}: ${message}`
}

interface Details {
  readonly message: string
  readonly reason?: string
  readonly hint?: string
  /** The output of the program that refused the call. */
  readonly output?: string
  readonly refused: { path: string; message: string }[]
  /** Shell commands that resolve the error. */
  readonly commands: readonly string[]
}

/** Reads the fields of an error. It avoids `instanceof EscrowError`, which would load the library. */
export function detailsOf(error: unknown): Details {
  if (error instanceof NoWorkspace) {
    return { message: error.message, hint: "Run 'escrow init' in the project's directory.", refused: [], commands: [] }
  }
  if (!(error instanceof Error)) return { message: String(error), refused: [], commands: [] }
  const reason = textAt(error, 'reason')
  const hint = textAt(error, 'hint') ?? adviceFor(error)
  const output = textAt(error, 'output')
  const refused = (listAt(error, 'refused') ?? []).map((each) => ({
    path: textAt(each, 'path') ?? '',
    message: textAt(each, 'message') ?? textAt(each, 'reason') ?? '',
  }))
  return {
    message: error.message,
    refused,
    commands: (listAt(error, 'commands') ?? []).filter((each) => typeof each === 'string'),
    ...defined({ reason, hint, output }),
  }
}

function valueAt(of: unknown, key: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, key) : undefined
}

function textAt(of: unknown, key: string): string | undefined {
  const value = valueAt(of, key)
  return typeof value === 'string' ? value : undefined
}

function listAt(of: unknown, key: string): unknown[] | undefined {
  const value = valueAt(of, key)
  return Array.isArray(value) ? value : undefined
}
