import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { createTwoFilesPatch } from 'diff'
import type { ClientFile, ClientName } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { oneLine } from '../printable.js'

interface Options extends Partial<Record<ClientName, true>> {
  readonly http?: string
  readonly remove?: true
  readonly yes?: true
}

const CLIENTS = ['claude', 'cline', 'codex', 'gemini', 'opencode', 'roo', 'mcp'] as const

export function register(command: Command, context: Context): void {
  command
    .description(
      'Make the directory a workspace: .orchestration with a starter set of files. What is there stays. With a client named, enter ' +
        'escrow into its settings here too; the change is shown first.',
    )
    .option('--claude', 'Claude Code: its hooks and our MCP server')
    .option('--cline', 'Cline: its hooks')
    .option('--codex', 'Codex: its hooks and our MCP server')
    .option('--gemini', 'Gemini CLI: its hooks and our MCP server')
    .option('--opencode', 'opencode: a plugin that asks our hook, and our MCP server')
    .option('--roo', 'Roo Code: our MCP server')
    .option('--mcp', 'any client that reads .mcp.json: our MCP server')
    .option(
      '--http <url>',
      "with --claude: its hooks ask the server that runs there ('escrow serve'), in its own settings",
    )
    .option('--remove', 'take escrow out of the settings of the clients named, or of all')
    .option('-y, --yes', 'do not ask')
    .action((options: Options) => init(command, context, options))
}

async function init(command: Command, context: Context, options: Options): Promise<void> {
  const { io, library, directory } = context
  const named = CLIENTS.filter((client) => options[client])
  const { initWorkspace, planClients, applyClients } = await library()
  const { remove = false, http } = options
  if (http !== undefined && !options.claude) command.error("error: option '--http <url>' goes with '--claude'")
  const about = { remove, ...(http !== undefined && { http }) }
  const files = planClients(directory(), remove && named.length === 0 ? CLIENTS : named, about)
  if (!remove) {
    const { created, kept } = await initWorkspace(directory())
    for (const path of created) io.out(`created  ${oneLine(path)}\n`)
    for (const path of kept) io.out(`kept     ${oneLine(path)}\n`)
  }
  if (named.length > 0 || remove) {
    if (!(await agreed(context, files, options.yes === true))) return
    applyClients(directory(), files)
    for (const { path, before, after } of files)
      io.out(`${after === undefined ? 'removed' : before === undefined ? 'created' : 'changed'}  ${oneLine(path)}\n`)
  } else io.out("Declare an intent with 'escrow intents add', or in .orchestration/active_intents.yaml.\n")
}

async function agreed({ io, exit }: Context, files: readonly ClientFile[], yes: boolean): Promise<boolean> {
  if (files.length === 0) {
    io.out('The settings are as they should be.\n')
    return false
  }
  for (const file of files) io.out(patchOf(file))
  if (yes) return true
  if (!io.terminal) {
    io.err("escrow: Nothing was changed: there is no terminal to ask at. Give '--yes'.\n")
    exit(EXIT.refused)
    return false
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await asking.question('Write this? [y/N] ').finally(() => asking.close())
  if (/^y(?:es)?$/i.test(answer.trim())) return true
  io.err('Nothing was changed.\n')
  exit(EXIT.refused)
  return false
}

function patchOf({ path, before, after }: ClientFile): string {
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path]
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '')
  return `${patch.split('\n').slice(1, -1).map(oneLine).join('\n')}\n`
}
