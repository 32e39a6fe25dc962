// Long because: the steps of a start share their options and results.
import { basename } from 'node:path'
import type { Command } from 'commander'
import { HOME_HOSTS, homeProfileOf } from '../../hosts/index.js'
import { EscrowError, findProgram, rootOf, type Workspace } from '../../index.js'
import { failuresOf, firstToFix, hostOfCommand, proposeScope, providerHosts, providerOf } from '../../surface/index.js'
import { type AgentOptions, addAgentOptions, openAgentSession, runHere } from '../agent-session.js'
import { type Context, EXIT } from '../context.js'
import { requireIntent, unknownIntentError } from '../intents/require-intent.js'
import { oneLine } from '../printable.js'
import type { Prompts } from '../prompts.js'
import { selectableIntents } from '../remedies.js'
import { collect } from '../repeated.js'
import { reportRun } from '../run-report.js'
import { runThenClose } from '../run-then-close.js'
import { type ChosenIntent, chooseIntent, findPrompt } from '../start/intent.js'
import { separateOwnOptions } from '../start/own-options.js'
import { locateWorkspace, type WorkspaceLocation } from '../start/workspace.js'
import { refuseTogether } from '../usage.js'
import { openReview } from './review.js'
import { offerTrust } from './trust.js'

interface Options extends AgentOptions {
  readonly task?: string
  readonly scope?: readonly string[]
  readonly yes?: true
  /** False with `--no-review`. */
  readonly review: boolean
}

/** Registers `escrow start -- program`, and one command for each host, named after its program. */
export function register(command: Command, context: Context): void {
  const client = HOME_HOSTS.find((name) => name === command.name())
  const what = client === undefined ? 'a program' : homeProfileOf(client).title
  addAgentOptions(command)
    .option('--task <text>', 'the task, which becomes a new intent, unless an open one has this name and scope')
    .option(
      '--scope <glob>',
      'a glob of paths that the new intent may change (default: what git tracks); repeatable',
      collect,
    )
    .option('-y, --yes', 'do not ask')
    .option('--no-review', 'do not open the review at the end')
    .description(
      `Run ${what} in escrow: make this directory a workspace if it is none, select or declare an intent, run the agent on the ` +
        'staged workspace, and open the review at the end. Your files do not change before you commit. ' +
        (client === undefined
          ? 'A known client gets its own login and the hosts of its provider.'
          : 'The agent gets its own login and configuration, and may reach the hosts of its provider only.'),
    )
  if (client === undefined)
    return void command
      .usage('[options] -- <program> [arguments...]')
      .argument('<program...>', 'the program to run, after `--`')
      .action((program: string[], options: Options) => {
        refuseNewIntent(command, options)
        return start(context, program, options)
      })
  command
    .usage('[options] [arguments...]')
    .argument('[arguments...]', `arguments for ${client}, from the first that is not an option above`)
    .action((args: string[], options: Options) => {
      refuseNewIntent(command, options)
      return start(context, [client, ...args], options)
    })
}

/** In a client's command, the client's arguments begin at the first word that is not an option of escrow. */
export function separateProgram(argv: readonly string[], command: Command): string[] {
  return command.name() === 'start' ? [...argv] : separateOwnOptions(argv, command)
}

/** An intent that exists has a name and a scope. */
function refuseNewIntent(command: Command, { intent, task, scope }: Options): void {
  refuseTogether(command, ['--intent', intent !== undefined], ['--task', task !== undefined])
  refuseTogether(command, ['--intent', intent !== undefined], ['--scope', scope !== undefined])
}

async function start(context: Context, program: string[], typedOptions: Options): Promise<void> {
  const { io, library, directory } = context
  const { admitAgent, openWorkspace } = await library()
  admitAgent()
  await refuseUncontained(context)
  const options = withClient(program, typedOptions)
  refuseMissingProgram(program, options)
  const place = locateWorkspace(directory())
  const prompts = options.yes === true ? undefined : await io.ask?.()
  const request = { program, options, prompts }
  // Leaving at this question creates nothing.
  const first = place.isNew ? await chooseForStart(undefined, place, request) : undefined
  if (place.isNew && first === undefined) return reportNothingStarted(context)
  if (place.isNew) await createWorkspace(context, place)
  const workspace = await openWorkspace(place.root)
  const run = async () => {
    if (options.yes !== true) await offerTrust(context, workspace, undefined)
    const chosen = first ?? (await chooseForStart(workspace, place, request))
    if (chosen === undefined) {
      reportNothingStarted(context)
      return undefined
    }
    const intent = await declareIntent(context, workspace, place, chosen)
    return runAgent(context, workspace, { program, options, intent })
  }
  const session = await runThenClose(run, () => workspace.close())
  if (session !== undefined && options.review && io.terminal && options.yes !== true)
    await openReview({ ...context, directory: () => place.root, root: () => place.root }, session)
}

function reportNothingStarted({ io, exit }: Context): void {
  io.err('escrow: Nothing was started.\n')
  exit(EXIT.refused)
}

async function refuseUncontained({ library, directory }: Context): Promise<void> {
  const tried = await (await library()).triedContainments(rootOf(directory()), false)
  if (tried.some(({ works }) => works)) return
  const failure = firstToFix(failuresOf(tried))
  throw new EscrowError(
    'unsupported',
    `This machine cannot contain an agent (${failure?.what ?? 'required protections'}): ${failure?.problem ?? ''}`,
    {
      hint: `${failure?.fix ?? ''} 'escrow doctor' checks again. Or run 'escrow init': a client's hooks need no containment.`,
    },
  )
}

/** Adds the login variables of the client and the hosts of its provider to the options. */
function withClient(program: readonly string[], options: Options): Options {
  const client = options.client ?? hostOfCommand(program)
  if (client === undefined) return options
  const { logins, addresses } = providerOf(client)
  const clientVariables = [...logins, ...addresses].flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const env = { ...Object.fromEntries(clientVariables), ...options.env }
  const hosts = options.network ? {} : { allowHost: [...providerHosts(client, env), ...(options.allowHost ?? [])] }
  return { ...options, client, env, ...hosts }
}

function refuseMissingProgram([program = '']: readonly string[], { client }: Options): void {
  if (program.includes('/')) return
  const { path, shadow } = findProgram(program)
  // A program of a workspace gets its own message later.
  if (path !== undefined || shadow !== undefined) return
  throw new EscrowError('unsupported', `'${oneLine(program)}' is not on PATH.`, {
    ...(client !== undefined && { hint: `Install it: npm install -g ${providerOf(client).npmPackage}` }),
  })
}

async function createWorkspace({ io, library }: Context, { root }: WorkspaceLocation): Promise<void> {
  await (await library()).initWorkspace(root)
  io.err(`escrow: Made ${oneLine(root)} a workspace (.orchestration).\n`)
}

interface StartRequest {
  readonly program: readonly string[]
  readonly options: Options
  readonly prompts: Prompts | undefined
}

/** @param workspace undefined before the workspace exists, when there are no intents */
async function chooseForStart(
  workspace: Workspace | undefined,
  place: WorkspaceLocation,
  { program, options, prompts }: StartRequest,
): Promise<ChosenIntent> {
  const { intents } = workspace ?? {}
  if (options.intent !== undefined && workspace !== undefined) await requireIntent(workspace, options.intent)
  if (options.intent !== undefined && workspace === undefined) throw unknownIntentError(options.intent, [])
  const [, ...args] = program
  return chooseIntent(
    {
      named: options.intent,
      // The arguments of an unknown program may be code, not a prompt.
      task: options.task ?? (options.client === undefined ? undefined : findPrompt(args)),
      isNewTask: options.task !== undefined,
      active: await intents?.active(),
      selectable: selectableIntents((await intents?.list()) ?? []),
      scope: options.scope ?? proposeScope(place.root),
    },
    prompts,
    basename(program[0] ?? ''),
  )
}

/** Declares a new intent. This needs a person, unless this command has just created the workspace. */
async function declareIntent(
  { io, library }: Context,
  workspace: Workspace,
  place: WorkspaceLocation,
  chosen: NonNullable<ChosenIntent>,
): Promise<string> {
  if ('id' in chosen) return chosen.id
  if (!place.isNew) (await library()).admitReviewer(place.root, { terminal: io.terminal })
  return (await workspace.intents.add(chosen.add)).id
}

interface AgentRun {
  readonly program: string[]
  readonly options: Options
  readonly intent: string
}

/** Runs the agent until it ends. Resolves with the session id if something is staged. */
async function runAgent(
  { io, exit }: Context,
  workspace: Workspace,
  { program, options, intent }: AgentRun,
): Promise<string | undefined> {
  const id = options.session ?? (await freeSession(workspace, basename(program[0] ?? '')))
  const session = await openAgentSession(
    program,
    workspace,
    { ...options, session: id, intent },
    { io, prefix: 'start' },
  )
  io.err(formatIntroduction(program, options, session.intent, session.id))
  // The client's next start continues its session.
  const run = { startedAt: Date.now(), isNamed: true }
  const result = await runHere(session, program, options)
  const staged = await reportRun(io, workspace, session, run, result)
  exit(result.exitCode)
  return staged === 0 ? undefined : session.id
}

/** Continues the client's session with its staged changes, or takes a numbered one if a process holds it. */
async function freeSession(workspace: Workspace, name: string): Promise<string> {
  const live = new Set((await workspace.sessions()).filter((each) => each.live).map(({ id }) => id))
  for (let count = 1; ; count++) {
    const id = count === 1 ? name : `${name}-${count}`
    if (!live.has(id)) return id
  }
}

/** Describes the intent, scope, network and secrets of the run in four lines. */
function formatIntroduction(
  [program = '']: readonly string[],
  { network, allowHost = [], client, env }: Options,
  intent: { readonly id: string; readonly name: string; readonly ownedScope: readonly string[] } | undefined,
  session: string,
): string {
  const hosts = network ? 'all of it' : allowHost.length === 0 ? 'none' : `${allowHost.join(', ')}; nothing else`
  const passed = [...Object.keys(env), ...(client === undefined ? [] : [`the configuration and login of ${client}`])]
  return [
    `escrow: ${basename(program)} works for ${intent?.id ?? 'no intent'} "${intent?.name ?? ''}" in session '${session}'.`,
    `  writes   staged, in ${intent?.ownedScope.join(', ') || 'no path'}; your files stay as they are until you commit`,
    `  network  ${hosts}`,
    `  secrets  ${passed.length === 0 ? 'none' : passed.join(', ')}`,
  ]
    .map((line) => `${oneLine(line)}\n`)
    .join('')
}
