import { tool } from 'ai'
import type { Session } from 'escrowfs'
import { outcomeText, runTool } from 'escrowfs/hooks'
import { z } from 'zod'

/** A session's tools for `generateText` and `streamText`. A refusal is a result, with the reason and the next step for the model. */
export function escrowTools(session: Session) {
  const { readFile, writeFile, mkdir } = session.fs.promises
  const run = async (name: string, args: Record<string, string>, id: string, work: () => Promise<unknown>) =>
    outcomeText(await runTool(session, { id, name, args }, work))
  const path = z.string().describe('Relative to the root of the workspace.')
  return {
    read_file: tool({
      description: 'Reads a text file.',
      inputSchema: z.object({ path }),
      execute: (args, { toolCallId }) => run('read_file', args, toolCallId, () => readFile(args.path, 'utf8')),
    }),
    write_file: tool({
      description: 'Writes a whole text file. It is staged until a person approves it.',
      inputSchema: z.object({ path, content: z.string() }),
      execute: (args, { toolCallId }) =>
        run('write_file', args, toolCallId, async () => {
          const folder = args.path.replace(/[^/]*$/, '')
          if (folder !== '') await mkdir(folder, { recursive: true })
          await writeFile(args.path, args.content)
          return `Staged ${args.path}.`
        }),
    }),
    run_command: tool({
      description: 'Runs a shell command on the workspace with what is staged. What it writes is staged too.',
      inputSchema: z.object({ command: z.string() }),
      execute: (args, { toolCallId, abortSignal }) =>
        run('run_command', args, toolCallId, async () => {
          const { exitCode, stdout, stderr } = await session.exec(args.command, {
            ...(abortSignal !== undefined && { signal: abortSignal }),
          })
          return `exit code ${exitCode}\n${stdout}${stderr}`
        }),
    }),
  }
}
