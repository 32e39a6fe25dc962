import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { ExecResult } from '../../index.js'
import { type Answer, defineTool, REVIEWER, reasonArgument, STAGES } from './tool.js'

/** Most characters of each stream to return: its beginning and its end. */
const MAX_STREAM_CHARACTERS = 30_000

const schema = z.object({
  command: z.string().min(1).describe('A command line for /bin/sh.'),
  cwd: z.string().optional().describe('The working directory; the root by default.'),
  reason: reasonArgument,
  timeout: z.number().positive().optional().describe('Seconds after which the command is stopped.'),
})

const output = z.object({
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  ended: z.string().optional(),
  changes: z.string(),
  refused: z.array(z.object({ path: z.string(), reason: z.string(), message: z.string() })),
  ...REVIEWER,
})

export const executeCommand = defineTool('execute_command', {
  title: 'Execute Command',
  description:
    'Run a command on the staged workspace, contained and without network. Its changes are staged if your intent allows them, and refused otherwise.',
  schema,
  output,
  annotations: { ...STAGES, idempotentHint: false },
  plan: ({ command, cwd, timeout }, _session, { signal }) => ({
    class: 'terminal',
    kind: 'command',
    run: async (session) => {
      const limit = timeout === undefined ? {} : { timeout: Math.ceil(timeout * 1000) }
      return toAnswer(await session.exec(command, { ...limit, ...defined({ cwd }), signal }))
    },
  }),
})

function toAnswer({ exitCode, stdout, stderr, ended, summary, refused }: ExecResult): Answer {
  const structured: z.output<typeof output> = {
    exitCode,
    stdout: elideMiddle(stdout),
    stderr: elideMiddle(stderr),
    ...defined({ ended }),
    changes: summary,
    refused: refused.slice(0, REFUSALS_PER_RESULT).map(({ path, reason, message }) => ({ path, reason, message })),
  }
  const parts = [
    ended === undefined ? `Exit code: ${exitCode}` : `Ended before its time (${ended}); it does not continue.`,
    ...(structured.stdout === '' ? [] : [`Output:\n${structured.stdout}`]),
    ...(structured.stderr === '' ? [] : [`Errors:\n${structured.stderr}`]),
    `Changes, staged for review:\n${summary}`,
    ...structured.refused.map(({ path, message }) => `Refused: ${path}: ${message}`),
  ]
  return { content: [{ type: 'text', text: parts.join('\n\n') }], structured }
}

const REFUSALS_PER_RESULT = 20

function elideMiddle(text: string): string {
  const excess = text.length - MAX_STREAM_CHARACTERS
  if (excess <= 0) return text
  const half = MAX_STREAM_CHARACTERS / 2
  return `${text.slice(0, half)}\n[${excess} characters are not shown; write them to a file to read them]\n${text.slice(-half)}`
}
