import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import { commandOutputs, type ExecResult, type Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { sizeOf } from './read-command-output.js'
import { defineTool } from './tool.js'

/** Bytes of output a model is shown at once, as in the host; the rest is for read_command_output. */
const PREVIEW = 10 * 1024
/** Bytes of output that are kept of one command. */
const KEPT = 32 * 1024 * 1024

const schema = z.object({
  command: z.string().min(1),
  cwd: z.string().nullish(),
  timeout: z.number().nonnegative().nullish(),
})

type Command = z.output<typeof schema>

/**
 * `execute_command`: runs a command contained, on the staged workspace. Output is told in the order it came, and what the
 * command did behind it. One that takes longer than `timeout` seconds is ended: nothing goes on in the background.
 */
export const executeCommand = defineTool('execute_command', schema, (args) => (session) => execute(session, args))

async function execute(session: Session, { command, cwd, timeout }: Command): Promise<string> {
  const directory = await directoryOf(session, cwd ?? '.')
  const chunks: Uint8Array[] = []
  let bytes = 0
  const onOutput = (chunk: Uint8Array) => {
    if (bytes < KEPT) chunks.push(chunk)
    bytes += chunk.length
  }
  const limit = timeout == null || timeout === 0 ? {} : { timeout: Math.ceil(timeout * 1000) }
  const result = await session.exec(command, { cwd: directory, onOutput, ...limit })
  const output = Buffer.concat(chunks).subarray(0, KEPT)
  const told =
    output.length > PREVIEW
      ? describePersistedOutput(session, directory, output, result)
      : inline(directory, output, result)
  return `${told}\n\n${effectsOf(result)}`
}

async function directoryOf(session: Session, cwd: string): Promise<string> {
  try {
    return await session.fs.promises.realpath(cwd)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
    throw new ToolFailure(`Working directory '${cwd}' does not exist.`)
  }
}

function inline(directory: string, output: Buffer, result: ExecResult): string {
  return `Command executed in terminal within working directory '${directory}'. ${statusOf(result)}\nOutput:\n${output}`
}

function describePersistedOutput(session: Session, directory: string, output: Buffer, result: ExecResult): string {
  const size = sizeOf(output.length) + (output.length === KEPT ? ' of it' : '')
  const preview = new TextDecoder().decode(output.subarray(0, PREVIEW), { stream: true })
  const name = keepOutput(session, output)
  const where = name === undefined ? 'could not be saved; this is its beginning.' : `persisted. Artifact ID: ${name}`
  const more = name === undefined ? [] : ['Use read_command_output tool to view full output if needed.']
  const head = `Command executed in '${directory}'. ${statusOf(result)}`
  return [head, `Output (${size}) ${where}`, `Preview:\n${preview}`, ...more].join('\n\n')
}

/** What the command did is done: a full disk must not hide it. */
function keepOutput(session: Session, output: Buffer): string | undefined {
  try {
    return commandOutputs(session).keep(output)
  } catch {
    return undefined
  }
}

const ENDED = {
  timeout: 'The command was stopped when its timeout ended; it does not continue.',
  aborted: 'The command was stopped early.',
  processes: 'The command was stopped because it had too many processes.',
  memory: 'The command was stopped because it used too much memory.',
} as const satisfies Record<NonNullable<ExecResult['ended']>, string>

function statusOf({ exitCode, ended }: ExecResult): string {
  if (ended !== undefined) return ENDED[ended]
  if (exitCode === null) return 'Exit code: <undefined, notify user>'
  const failed = 'Command execution was not successful, inspect the cause and adjust as needed.\n'
  return `${exitCode === 0 ? '' : failed}Exit code: ${exitCode}`
}

/** Paths that were refused come with why: the model can mend it. */
function effectsOf({ summary, refused }: ExecResult): string {
  const reasons = [...new Set(refused.map(({ message }) => message))].slice(0, REASONS)
  const lines = reasons.map((message) => `- ${message}`)
  return [
    `Changes, staged for review:\n${summary}`,
    ...(lines.length > 0 ? [`Refused:\n${lines.join('\n')}`] : []),
  ].join('\n')
}

const REASONS = 10
