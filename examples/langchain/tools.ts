import { tool } from '@langchain/core/tools'
import type { Session } from 'escrowfs'
import { outcomeText, runTool } from 'escrowfs/hooks'
import { z } from 'zod'

/** A session's tools for `bindTools` and for agents. A refusal is a result, with the reason and the next step for the model. */
export function escrowTools(session: Session) {
  const { readFile, writeFile, mkdir } = session.fs.promises
  const run = async (name: string, args: Record<string, string>, work: () => Promise<unknown>) =>
    outcomeText(await runTool(session, { name, args }, work))
  const path = z.string().describe('Relative to the root of the workspace.')
  return {
    read_file: tool((args) => run('read_file', args, () => readFile(args.path, 'utf8')), {
      name: 'read_file',
      description: 'Reads a text file.',
      schema: z.object({ path }),
    }),
    write_file: tool(
      (args) =>
        run('write_file', args, async () => {
          const folder = args.path.replace(/[^/]*$/, '')
          if (folder !== '') await mkdir(folder, { recursive: true })
          await writeFile(args.path, args.content)
          return `Staged ${args.path}.`
        }),
      {
        name: 'write_file',
        description: 'Writes a whole text file. It is staged until a person approves it.',
        schema: z.object({ path, content: z.string() }),
      },
    ),
    run_command: tool(
      (args) =>
        run('run_command', args, async () => {
          const { exitCode, stdout, stderr } = await session.exec(args.command)
          return `exit code ${exitCode}\n${stdout}${stderr}`
        }),
      {
        name: 'run_command',
        description: 'Runs a shell command on the workspace with what is staged. What it writes is staged too.',
        schema: z.object({ command: z.string() }),
      },
    ),
  }
}
