import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { createProgress } from '../progress.js'
import { rulesFor, workspaceAt } from '../replay-rules.js'

interface Options extends AsJson {
  readonly policy?: string
  readonly intents?: string
  readonly html?: string
  readonly below?: string
  readonly propose?: true
  readonly record?: string
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Replay the tool calls that agents made in the past, and show what the rules would have allowed, staged, asked and refused. ' +
        'It runs none of them, changes nothing and uses no network. Without paths it reads the histories of Claude Code, Codex, Gemini CLI, opencode, Cline and Roo Code in the home directory.',
    )
    .argument('[paths...]', 'files and directories of histories')
    .option('--policy <file>', "a policy.yaml; by default the workspace's, else the default rules")
    .option('--intents <file>', "an active_intents.yaml; by default the workspace's, else one intent for every path")
    .option(
      '--below <directory>',
      'only sessions that began there or below; without paths, in a workspace, that workspace by default',
    )
    .option('--html <file>', 'also write the report as one page')
    .option(
      '--propose',
      'propose rules that ask less often, with their effect on sessions that they were not learned from',
    )
    .option('--record <directory>', "write cases for 'escrow policy test' there, without values of secrets")
    .addOption(jsonOption())
    .action((paths: string[], options: Options) => backtest(context, paths, options))
}

async function backtest(context: Context, paths: readonly string[], options: Options): Promise<void> {
  const { io, directory, root } = context
  // Only this command loads it.
  const room = await import('../../backtest/index.js')
  const cwd = directory()
  const places = paths.length > 0 ? paths.map((path) => resolve(cwd, path)) : room.knownPlaces()
  const files = room.findHistories(places)
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const progress = createProgress(io)
  const workspace = paths.length > 0 ? undefined : workspaceAt(root)
  const request = {
    files,
    rules: rulesFor(cwd, options, root),
    below: options.below === undefined ? workspace : resolve(cwd, options.below),
    progress: (bytes: number) => progress.show(`Reading histories: ${megabytes(bytes)} of ${megabytes(all)} MB`),
  }
  if (options.propose) {
    const proposal = await room.propose(request)
    progress.clear()
    io.out(options.json ? json(proposal) : room.renderProposal(proposal))
    return
  }
  const recorder = new room.CaseRecorder()
  const report = await room.runBacktest({ ...request, seen: (call) => recorder.add(call) })
  progress.clear()
  if (options.html !== undefined) await write(resolve(cwd, options.html), room.renderPage(report))
  if (options.record !== undefined)
    await write(resolve(cwd, options.record, 'recorded.yaml'), await recorder.file(request.rules))
  io.out(options.json ? json(report) : room.renderText(report, io.columns === undefined ? {} : { columns: io.columns }))
}

async function write(file: string, text: string): Promise<void> {
  const { ensureDir, replaceDurable } = await import('../../surface/index.js')
  ensureDir(dirname(file))
  replaceDurable(file, text)
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0)
