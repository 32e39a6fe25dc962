import { type Command, Option } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { defined } from '../../core/defined.js'
import { HOSTS, type HostName, profileOf } from '../../hosts/index.js'
import type { ClientFile, ClientOptions } from '../../surface/index.js'
import { type Context, EXIT, type Library } from '../context.js'
import { describeForeignSettings } from '../foreign-settings.js'
import { askForWorkspace } from '../init-questions.js'
import { type AsJson, json, jsonOption, pluralize } from '../output.js'
import { oneLine } from '../printable.js'
import { refuseAlone } from '../usage.js'

interface Options extends Partial<Record<HostName, true>>, AsJson {
  readonly git?: true
  readonly http?: string
  readonly remove?: true
  readonly yes?: true
  readonly approvalBy: 'person' | 'any'
}

export function register(command: Command, context: Context): void {
  for (const host of HOSTS) command.option(`--${host}`, profileOf(host).label)
  command
    .description(
      "Make this directory a workspace: create .orchestration with its starter files, and keep files that exist. At a terminal, ask for what the options leave open. With a client named, also add escrow to the client's settings here; you see the change first.",
    )
    .option(
      '--http <url>',
      "with --claude: hooks that ask a running 'escrow serve' at this address, in your own settings",
    )
    .addOption(
      new Option('--approval-by <who>', 'who may approve with the command line: a person at a terminal, or any program')
        .choices(['person', 'any'])
        .default('person'),
    )
    .option('--git', 'add git hooks that keep the authors of lines through rebase, amend, squash and pull')
    .option('--remove', 'remove escrow from the settings of the named clients, or of all; with --git, the git hooks')
    .option('-y, --yes', 'do not ask')
    .addOption(jsonOption())
    .action((options: Options) => {
      // The directory of -C is made with the workspace.
      const directory = () => context.directory(true)
      return init(command, { ...context, directory }, options)
    })
}

async function init(command: Command, context: Context, options: Options): Promise<void> {
  const requested = HOSTS.filter((client) => options[client])
  refuseAlone(command, ['--http <url>', options.http !== undefined], ['--claude', options.claude === true])
  const removed = requested.length === 0 && options.git !== true ? HOSTS : requested
  if (options.json) return initAsJson(context, options.remove ? removed : requested, options)
  if (options.remove) {
    if (removed.length > 0) await updateSettings(context, removed, options)
    return enterGitHooks(context, options)
  }
  const isAsked = context.io.ask !== undefined && requested.length === 0 && options.git !== true && options.yes !== true
  if (!isAsked) {
    const { planClients } = await context.library()
    // Throws for settings that cannot be changed, before anything is created.
    planClients(context.directory(), requested, clientOptionsOf(options))
    await createWorkspace(context, options)
    if (requested.length > 0) await updateSettings(context, requested, options)
    await enterGitHooks(context, options)
    if (requested.length > 0 || options.git) return
    return context.io.out("Declare an intent with 'escrow intents add', or in .orchestration/active_intents.yaml.\n")
  }
  await runInteractively(context, options)
}

async function enterGitHooks(context: Context, { git, remove, yes }: Options): Promise<void> {
  if (git === undefined) return
  const { enterHooks } = await import('../git-hooks.js')
  await enterHooks(context, context.directory(), { remove: remove === true, yes: yes === true })
}

/** Initializes with `--json`: asks nothing, and changes client settings only with `--yes`. */
async function initAsJson(context: Context, clients: readonly HostName[], options: Options): Promise<void> {
  const { io, library, directory, exit } = context
  const { planClients, applyClients, initWorkspace } = await library()
  const { approvalBy } = options
  const files = planClients(directory(), clients, clientOptionsOf(options))
  const hooks = options.git && (await planGit(context, options))
  if (files.length + (hooks?.changes.length ?? 0) > 0 && options.yes !== true) {
    io.err("escrow: Nothing was changed: '--json' asks no question. Add '--yes' to confirm.\n")
    return exit(EXIT.refused)
  }
  const result = options.remove ? { created: [], kept: [] } : await initWorkspace(directory(), { approvalBy })
  applyClients(directory(), files)
  const gitSettings = hooks === undefined ? [] : await hooks.apply()
  const blocked = options.remove ? [] : await checkEntries(context, clients)
  if (blocked.length > 0) exit(EXIT.refused)
  const settings = [...files.map((file) => ({ path: file.path, change: changeOf(file) })), ...gitSettings]
  const manual = hooks?.manual ?? []
  io.out(json({ ...result, settings, ...(blocked.length > 0 && { blocked }), ...(manual.length > 0 && { manual }) }))
}

async function planGit(context: Context, { remove }: Options) {
  const { planHooks, writeHooks } = await import('../git-hooks.js')
  const plan = await planHooks(context, context.directory(), remove === true)
  return plan && { ...plan, apply: () => writeHooks(context, plan.changes, remove === true) }
}

/** Asks all questions before it changes anything, so that leaving at one of them has no effect. */
async function runInteractively(context: Context, options: Options): Promise<void> {
  const { io, library, directory } = context
  const { findClients, planClients, applyClients, admitReviewer, openWorkspace } = await library()
  const prompts = await io.ask?.()
  const found = findClients(directory()).map(({ client }) => client)
  const answers = prompts && (await askForWorkspace(prompts, found, directory()))
  if (prompts === undefined || answers === undefined) return reportNothingChanged(context)
  const { intent } = answers
  const files = planClients(directory(), answers.clients)
  for (const file of files) io.out(patchOf(file))
  const changes = files.length === 0 ? '' : `, and change ${pluralize(files.length, 'file')} as shown`
  if ((await prompts.confirm(`Make this a workspace${changes}?`, true)) !== true) return reportNothingChanged(context)
  await createWorkspace(context, options)
  writeSettings(context, applyClients, files)
  if (answers.clients.length > 0) {
    await reportEntries(context, answers.clients)
    await warnAboutClients(context)
  }
  if (intent === undefined)
    return io.out("Declare an intent with 'escrow intents add', or in .orchestration/active_intents.yaml.\n")
  admitReviewer(directory(), { terminal: io.terminal })
  const workspace = await openWorkspace(directory())
  const added = await workspace.intents.add(intent).finally(() => workspace.close())
  io.out(`added    ${oneLine(added.id)}  ${oneLine(added.name)}\n`)
}

async function createWorkspace({ io, library, directory }: Context, { approvalBy }: Options): Promise<void> {
  const { created, kept } = await (await library()).initWorkspace(directory(), { approvalBy })
  for (const path of created) io.out(`created  ${oneLine(path)}\n`)
  for (const path of kept) io.out(`kept     ${oneLine(path)}\n`)
}

async function updateSettings(context: Context, clients: readonly HostName[], options: Options): Promise<void> {
  const { library, directory } = context
  const { planClients, applyClients } = await library()
  const files = planClients(directory(), clients, clientOptionsOf(options))
  const isAgreed = files.length > 0 && (await confirm(context, files, options.yes === true))
  if (isAgreed) writeSettings(context, applyClients, files)
  if (files.length === 0) context.io.out('The settings need no change.\n')
  if (options.remove === true) return
  if (isAgreed || files.length === 0) await reportEntries(context, clients)
  await warnAboutClients(context)
}

interface Blocked {
  readonly client: HostName
  readonly blocked: string
}

/** Installs the launcher, then runs each client's hook once, as the client would. Resolves with the hooks that fail. */
async function checkEntries({ io, library, directory }: Context, clients: readonly HostName[]): Promise<Blocked[]> {
  const { installLauncher, probeEntry } = await library()
  if (io.entry !== undefined) installLauncher(io.entry)
  const checked = await Promise.all(
    clients.map(async (client) => ({ client, blocked: await probeEntry(directory(), client) })),
  )
  return checked.flatMap(({ client, blocked }) => (blocked === undefined ? [] : [{ client, blocked }]))
}

async function reportEntries(context: Context, clients: readonly HostName[]): Promise<void> {
  const { io, exit } = context
  const refused = await checkEntries(context, clients)
  for (const client of clients) {
    const problem = refused.find((each) => each.client === client)
    const hasHook = profileOf(client).hook !== undefined
    if (problem === undefined)
      io.out(`checked  ${client}: ${hasHook ? 'its hook was run once and works' : "escrow's MCP server starts"}\n`)
    else if (!hasHook) io.err(`blocked  ${client}: escrow's MCP server does not start: ${oneLine(problem.blocked)}\n`)
    else io.err(`blocked  ${client}: its hook was run once and fails: ${oneLine(problem.blocked)}\n`)
  }
  if (refused.length === 0) return
  io.err(
    "Until this is fixed, the client refuses every tool. 'escrow doctor' checks again; 'escrow init --remove' removes the hooks.\n",
  )
  exit(EXIT.refused)
}

/** Warns about settings that the client runs by itself, which hooks do not govern, and about hooks that do not run. */
async function warnAboutClients({ io, library, directory }: Context): Promise<void> {
  const { foreignSettings, findClients } = await library()
  io.err(describeForeignSettings(foreignSettings(directory())))
  for (const { client, problems = [] } of findClients(directory()))
    for (const problem of problems) io.out(`${client} is not governed yet: ${oneLine(problem)}\n`)
}

function clientOptionsOf({ remove, http }: Options): ClientOptions {
  return { remove: remove === true, ...defined({ http }) }
}

function writeSettings({ io, directory }: Context, write: Library['applyClients'], files: readonly ClientFile[]): void {
  write(directory(), files)
  for (const file of files) io.out(`${changeOf(file)}  ${oneLine(file.path)}\n`)
}

function changeOf({ before, after }: ClientFile): 'removed' | 'created' | 'changed' {
  if (after === undefined) return 'removed'
  return before === undefined ? 'created' : 'changed'
}

async function confirm(context: Context, files: readonly ClientFile[], yes: boolean): Promise<boolean> {
  const { io, exit } = context
  for (const file of files) io.out(patchOf(file))
  if (yes) return true
  const prompts = await io.ask?.()
  if (prompts === undefined) {
    io.err("escrow: Nothing was changed: there is no terminal to ask for confirmation. Add '--yes' to confirm.\n")
    exit(EXIT.refused)
    return false
  }
  if ((await prompts.confirm('Write this?', true)) === true) return true
  reportNothingChanged(context)
  return false
}

function reportNothingChanged({ io, exit }: Context): void {
  io.err('Nothing was changed.\n')
  exit(EXIT.refused)
}

function patchOf({ path, before, after }: ClientFile): string {
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path]
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '')
  return `${patch.split('\n').slice(1, -1).map(oneLine).join('\n')}\n`
}
