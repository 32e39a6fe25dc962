import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import { commandOutputs, type ExecResult, type Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { formatSize } from './read-command-output.js'
import { defineTool } from './tool.js'

/** Bytes of output that a result shows, as in the host; read_command_output returns the rest. */
const PREVIEW_BYTES = 10 * 1024
/** Most bytes of output kept of one command. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024

const schema = z.object({
  command: z.string().min(1),
  cwd: z.string().nullish(),
  timeout: z.number().nonnegative().nullish(),
})

type Command = z.output<typeof schema>

/**
 * `execute_command`: runs a contained command on the staged workspace. The result has the output in order, then the command's
 * effects. A command that exceeds `timeout` seconds is stopped: nothing continues in the background.
 */
export const executeCommand = defineTool('execute_command', schema, (args) => (session) => execute(session, args))

async function execute(session: Session, { command, cwd, timeout }: Command): Promise<string> {
  const directory = await resolveDirectory(session, cwd ?? '.')
  const chunks: Uint8Array[] = []
  let bytes = 0
  const onOutput = (chunk: Uint8Array) => {
    if (bytes < MAX_KEPT_BYTES) chunks.push(chunk)
    bytes += chunk.length
  }
  const limit = timeout == null || timeout === 0 ? {} : { timeout: Math.ceil(timeout * 1000) }
  const result = await session.exec(command, { cwd: directory, onOutput, ...limit })
  const output = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES)
  const description =
    output.length > PREVIEW_BYTES
      ? describePersistedOutput(session, directory, output, result)
      : formatOutput(directory, output, result)
  return `${description}\n\n${formatEffects(result)}`
}

async function resolveDirectory(session: Session, cwd: string): Promise<string> {
  try {
    return await session.fs.promises.realpath(cwd)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
    throw new ToolFailure(`Working directory '${cwd}' does not exist.`)
  }
}

function formatOutput(directory: string, output: Buffer, result: ExecResult): string {
  return `Command executed in terminal within working directory '${directory}'. ${formatStatus(result)}\nOutput:\n${output}`
}

function describePersistedOutput(session: Session, directory: string, output: Buffer, result: ExecResult): string {
  const size = formatSize(output.length) + (output.length === MAX_KEPT_BYTES ? ' of it' : '')
  const preview = new TextDecoder().decode(output.subarray(0, PREVIEW_BYTES), { stream: true })
  const name = keepOutput(session, output)
  const where = name === undefined ? 'could not be saved; this is its beginning.' : `persisted. Artifact ID: ${name}`
  const more = name === undefined ? [] : ['Use read_command_output tool to view full output if needed.']
  const head = `Command executed in '${directory}'. ${formatStatus(result)}`
  return [head, `Output (${size}) ${where}`, `Preview:\n${preview}`, ...more].join('\n\n')
}

/** The command's effects are done, so a full disk must not hide the result. */
function keepOutput(session: Session, output: Buffer): string | undefined {
  try {
    return commandOutputs(session).keep(output)
  } catch {
    return undefined
  }
}

const END_REASONS = {
  timeout: 'The command was stopped when its timeout ended; it does not continue.',
  aborted: 'The command was stopped early.',
  processes: 'The command was stopped because it had too many processes.',
  memory: 'The command was stopped because it used too much memory.',
} as const satisfies Record<NonNullable<ExecResult['ended']>, string>

function formatStatus({ exitCode, ended }: ExecResult): string {
  if (ended !== undefined) return END_REASONS[ended]
  if (exitCode === null) return 'Exit code: <undefined, notify user>'
  const failed = 'Command execution was not successful, inspect the cause and adjust as needed.\n'
  return `${exitCode === 0 ? '' : failed}Exit code: ${exitCode}`
}

/** Refused paths come with reasons, so that the model can correct them. */
function formatEffects({ summary, refused }: ExecResult): string {
  const reasons = [...new Set(refused.map(({ message }) => message))].slice(0, REASONS)
  const lines = reasons.map((message) => `- ${message}`)
  return [
    `Changes, staged for review:\n${summary}`,
    ...(lines.length > 0 ? [`Refused:\n${lines.join('\n')}`] : []),
  ].join('\n')
}

const REASONS = 10
