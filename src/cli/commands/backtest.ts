import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { ReplayRules } from '../../backtest/index.js'
import { EscrowError } from '../../index.js'
import { type Context, NoWorkspace } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { createProgress } from '../progress.js'

interface Options extends AsJson {
  readonly policy?: string
  readonly intents?: string
  readonly html?: string
  readonly below?: string
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
    .addOption(jsonOption())
    .action((paths: string[], options: Options) => backtest(context, paths, options))
}

async function backtest({ io, directory, root }: Context, paths: readonly string[], options: Options): Promise<void> {
  // Only this command loads it.
  const room = await import('../../backtest/index.js')
  const cwd = directory()
  const places = paths.length > 0 ? paths.map((path) => resolve(cwd, path)) : room.knownPlaces()
  const files = room.findHistories(places)
  const all = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const progress = createProgress(io)
  const report = await room.runBacktest({
    files,
    rules: rulesFor(cwd, options, root),
    below:
      options.below === undefined ? (paths.length > 0 ? undefined : workspaceAt(root)) : resolve(cwd, options.below),
    progress: (bytes) => progress.show(`Reading histories: ${megabytes(bytes)} of ${megabytes(all)} MB`),
  })
  progress.clear()
  if (options.html !== undefined) {
    const { replaceDurable } = await import('../../surface/index.js')
    replaceDurable(resolve(cwd, options.html), room.renderPage(report))
  }
  io.out(options.json ? json(report) : room.renderText(report, io.columns === undefined ? {} : { columns: io.columns }))
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0)

/** The texts of the named files, else those of the workspace. */
export function rulesFor(
  cwd: string,
  { policy, intents }: Pick<Options, 'policy' | 'intents'>,
  root: () => string,
): ReplayRules {
  const workspace = workspaceAt(root)
  const own = (name: string) => (workspace === undefined ? undefined : join(workspace, '.orchestration', name))
  const [policyFile, intentsFile] = [named(cwd, policy), named(cwd, intents)]
  return {
    policy: policyFile === undefined ? textAt(own('policy.yaml')) : requiredText(policyFile),
    intents: intentsFile === undefined ? textAt(own('active_intents.yaml')) : requiredText(intentsFile),
    names: {
      policy: relative(cwd, policyFile ?? own('policy.yaml') ?? '') || 'policy.yaml',
      intents: relative(cwd, intentsFile ?? own('active_intents.yaml') ?? '') || 'active_intents.yaml',
    },
  }
}

const named = (cwd: string, file: string | undefined) => (file === undefined ? undefined : resolve(cwd, file))

function workspaceAt(root: () => string): string | undefined {
  try {
    return root()
  } catch (error) {
    if (error instanceof NoWorkspace) return undefined
    throw error
  }
}

function requiredText(file: string): string {
  const text = textAt(file)
  if (text !== undefined) return text
  throw new EscrowError('unsupported', `${file} does not exist.`, { hint: 'Name a file of rules.' })
}

function textAt(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
