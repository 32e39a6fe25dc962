// Long because: the steps of a start share what the person said and what was found.
import { basename } from 'node:path'
import type { Command } from 'commander'
import { HOME_HOSTS, homeProfileOf } from '../../hosts/index.js'
import { EscrowError, findProgram, type Workspace } from '../../index.js'
import { hostOfProgram, proposeScope, providerHosts, providerOf } from '../../surface/index.js'
import { type AgentOptions, addAgentOptions, collected, openFor, runningBy } from '../agent-session.js'
import { type Context, EXIT } from '../context.js'
import { knownIntent, unknownIntent } from '../intents/known.js'
import { oneLine } from '../printable.js'
import type { Asking } from '../prompts.js'
import { selectableIn } from '../remedies.js'
import { reportRun } from '../run-report.js'
import { untilInterrupted } from '../run-until-signal.js'
import { type Chosen, chooseIntent, promptIn } from '../start/intent.js'
import { withOwnOptionsApart } from '../start/own-options.js'
import { type Place, placeFor } from '../start/workspace.js'
import { openReview } from './review.js'
import { offerTrust } from './trust.js'

interface Options extends AgentOptions {
  readonly task?: string
  readonly scope?: readonly string[]
  readonly yes?: true
  /** False by `--no-review`. */
  readonly review: boolean
}

/** `escrow start -- program`, and a command by the name of each host's program. */
export function register(command: Command, context: Context): void {
  const client = HOME_HOSTS.find((name) => name === command.name())
  const what = client === undefined ? 'a program' : homeProfileOf(client).title
  addAgentOptions(command)
    .option('--task <text>', 'the task, which becomes a new intent')
    .option(
      '--scope <glob>',
      'a glob of paths that the new intent may change (default: what git tracks); repeatable',
      collected,
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
      .action((program: string[], options: Options) => start(context, program, options))
  command
    .usage('[options] [arguments...]')
    .argument('[arguments...]', `arguments for ${client}, from the first that is not an option above`)
    .action((args: string[], options: Options) => start(context, [client, ...args], options))
}

/** Options of a client begin with the first word that is no option of ours. */
export function apart(argv: readonly string[], command: Command): string[] {
  return command.name() === 'start' ? [...argv] : withOwnOptionsApart(argv, command)
}

async function start(context: Context, program: string[], given: Options): Promise<void> {
  const { io, library, directory } = context
  const { admitAgent, openWorkspace } = await library()
  admitAgent()
  await refuseUncontained(context)
  const options = withClient(program, given)
  refuseMissing(program, options)
  const place = placeFor(directory())
  const asking = options.yes === true ? undefined : await io.ask?.()
  const asked = { program, options, asking }
  // Whoever leaves here leaves nothing behind.
  const first = place.isNew ? await choose(undefined, place, asked) : undefined
  if (place.isNew && first === undefined) return nothingStarted(context)
  if (place.isNew) await prepare(context, place)
  const workspace = await openWorkspace(place.root)
  let session: string | undefined
  try {
    if (options.yes !== true) await offerTrust(context, workspace, undefined)
    const chosen = first ?? (await choose(workspace, place, asked))
    if (chosen === undefined) return nothingStarted(context)
    session = await runAgent(context, workspace, {
      program,
      options,
      intent: await declare(context, workspace, place, chosen),
    })
  } finally {
    await workspace.close()
  }
  if (session !== undefined && options.review && io.terminal && options.yes !== true)
    await openReview({ ...context, directory: () => place.root, root: () => place.root }, session)
}

function nothingStarted({ io, exit }: Context): void {
  io.err('escrow: Nothing was started.\n')
  exit(EXIT.refused)
}

async function refuseUncontained({ library }: Context): Promise<void> {
  const lacking = (await (await library()).checkContainment()).find(({ ok }) => !ok)
  if (lacking === undefined) return
  throw new EscrowError(
    'unsupported',
    `This machine cannot contain an agent (${lacking.name}): ${lacking.problem ?? ''}`,
    {
      hint: `${lacking.fix ?? ''} 'escrow doctor' checks again. Or run 'escrow init': a client's hooks need no containment.`,
    },
  )
}

/** The login of the client and the hosts of its provider, beside what the person gives it. */
function withClient(program: readonly string[], options: Options): Options {
  const client = options.client ?? hostOfProgram(program[0] ?? '')
  if (client === undefined) return options
  const { logins, addresses } = providerOf(client)
  const own = [...logins, ...addresses].flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const env = { ...Object.fromEntries(own), ...options.env }
  const hosts = options.network ? {} : { allowHost: [...providerHosts(client, env), ...(options.allowHost ?? [])] }
  return { ...options, client, env, ...hosts }
}

function refuseMissing([program = '']: readonly string[], { client }: Options): void {
  if (program.includes('/')) return
  const { path, shadow } = findProgram(program)
  // A shadow is refused in words of its own.
  if (path !== undefined || shadow !== undefined) return
  throw new EscrowError('unsupported', `'${oneLine(program)}' is not on PATH.`, {
    ...(client !== undefined && { hint: `Install it: npm install -g ${providerOf(client).installs}` }),
  })
}

async function prepare({ io, library }: Context, { root }: Place): Promise<void> {
  await (await library()).initWorkspace(root)
  io.err(`escrow: Made ${oneLine(root)} a workspace (.orchestration).\n`)
}

interface Asked {
  readonly program: readonly string[]
  readonly options: Options
  readonly asking: Asking | undefined
}

/** @param workspace undefined: there are no intents yet. */
async function choose(
  workspace: Workspace | undefined,
  place: Place,
  { program, options, asking }: Asked,
): Promise<Chosen> {
  const { intents } = workspace ?? {}
  if (options.intent !== undefined && workspace !== undefined) await knownIntent(workspace, options.intent)
  if (options.intent !== undefined && workspace === undefined) throw unknownIntent(options.intent, [])
  const [, ...args] = program
  return chooseIntent(
    {
      named: options.intent,
      // What another program is given may be code.
      task: options.task ?? (options.client === undefined ? undefined : promptIn(args)),
      isNewTask: options.task !== undefined,
      active: await intents?.active(),
      selectable: selectableIn((await intents?.list()) ?? []),
      scope: options.scope ?? proposeScope(place.root),
    },
    asking,
    basename(program[0] ?? ''),
  )
}

/** A new intent needs a person's word, but where this command has made the workspace itself. */
async function declare(
  { io, library }: Context,
  workspace: Workspace,
  place: Place,
  chosen: NonNullable<Chosen>,
): Promise<string> {
  if ('id' in chosen) return chosen.id
  if (!place.isNew) (await library()).admitReviewer(place.root, { terminal: io.terminal })
  return (await workspace.intents.add(chosen.add)).id
}

interface Started {
  readonly program: string[]
  readonly options: Options
  readonly intent: string
}

/** Runs it to its end. Resolves with the session where something is staged. */
async function runAgent(
  { io, exit }: Context,
  workspace: Workspace,
  { program, options, intent }: Started,
): Promise<string | undefined> {
  const id = options.session ?? (await freeSession(workspace, basename(program[0] ?? '')))
  const session = await openFor(program, workspace, { ...options, session: id, intent }, { io, prefix: 'start' })
  io.err(introduction(program, options, session.intent, session.id))
  const result = await untilInterrupted((signal) => session.run(program, { ...runningBy(program, options), signal }))
  const staged = await reportRun(io, workspace, session, result)
  exit(result.exitCode ?? 1)
  return staged === 0 ? undefined : session.id
}

/** The client's own session, which has what it staged before, unless another process is at work in it. */
async function freeSession(workspace: Workspace, name: string): Promise<string> {
  const live = new Set((await workspace.sessions()).filter((each) => each.live).map(({ id }) => id))
  for (let count = 1; ; count++) {
    const id = count === 1 ? name : `${name}-${count}`
    if (!live.has(id)) return id
  }
}

/** What holds while it runs, in four lines. */
function introduction(
  [program = '']: readonly string[],
  { network, allowHost = [], client, env }: Options,
  intent: { readonly id: string; readonly name: string; readonly ownedScope: readonly string[] } | undefined,
  session: string,
): string {
  const hosts = network ? 'all of it' : allowHost.length === 0 ? 'none' : `${allowHost.join(', ')}; nothing else`
  const given = [...Object.keys(env), ...(client === undefined ? [] : [`the configuration and login of ${client}`])]
  return [
    `escrow: ${basename(program)} works for ${intent?.id ?? 'no intent'} "${intent?.name ?? ''}" in session '${session}'.`,
    `  writes   staged, in ${intent?.ownedScope.join(', ') || 'no path'}; your files stay as they are until you commit`,
    `  network  ${hosts}`,
    `  given    ${given.length === 0 ? 'no secret' : given.join(', ')}`,
  ]
    .map((line) => `${oneLine(line)}\n`)
    .join('')
}
