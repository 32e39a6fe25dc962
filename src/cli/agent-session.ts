import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { defined } from '../core/defined.js'
import {
  type CommandResult,
  EscrowError,
  findProgram,
  type HomeHost,
  type Intent,
  type Session,
  type Workspace,
} from '../index.js'
import { HOME_HOSTS, hostOfCommand } from '../surface/index.js'
import { type Io, UsageError } from './context.js'
import { requireIntent } from './intents/require-intent.js'
import { oneLine } from './printable.js'
import { collect } from './repeated.js'
import { exitCodeAfter, runUntilTerminated } from './run-until-signal.js'
import { collectVariable, type Variables } from './variables.js'

/** Options of the commands that run a program in a session. */
export interface AgentOptions {
  readonly session?: string
  readonly intent?: string
  readonly network?: true
  readonly client?: HomeHost
  readonly home?: true
  readonly allowHost?: readonly string[]
  readonly env: Variables
}

export function addAgentOptions(command: Command): Command {
  return command
    .option('--session <id>', 'the session to work in (default: a new one)')
    .option('--intent <id>', 'the intent to work for (default: the selected one)')
    .option('--network', 'allow the network, if policy does (`terminal.network`)')
    .option(
      '--allow-host <host>',
      'allow this host alone, if policy does: example.com, *.example.com or example.com:8443; repeatable',
      collect,
    )
    .addOption(
      new Option(
        '--client <name>',
        'the client that the program is, if its name does not say so; it keeps its state in your home directory and reads its login',
      ).choices(HOME_HOSTS),
    )
    .option('--home', 'allow writes in your whole home directory; they are dropped when the program ends')
    .option(
      '--env <name[=value]>',
      'pass a variable; without a value, pass your own, even if it holds a secret',
      collectVariable,
      {},
    )
}

/** Opens the session for a program, and warns if no intent is selected. */
export async function openAgentSession(
  [program = '']: readonly string[],
  workspace: Workspace,
  { session: id, intent, env }: AgentOptions,
  { io, prefix }: { readonly io: Io; readonly prefix: string },
): Promise<Session> {
  if (env.PATH === undefined) refuseShadow(program)
  await refuseMissing(program, workspace, { id, env, cwd: io.cwd })
  // Check the intent first, so that a mistyped id creates no session.
  if (intent !== undefined) await requireIntent(workspace, intent)
  const session = await workspace.session({
    id: id ?? `${prefix}-${Date.now().toString(36)}`,
    agent: { tool: basename(program) },
  })
  if (intent !== undefined) await session.selectIntent(intent)
  if (session.intent === undefined)
    io.err(
      `escrow: No intent is selected, so every write will be refused. Name one with '--intent'${describeChoice(await session.intents())}.\n`,
    )
  return session
}

/** Closes a session that no person named, and removes it if it is empty. Resolves with whether it was removed. */
export async function dropIfEmpty(workspace: Workspace, session: Session): Promise<boolean> {
  await session.close()
  return workspace.removeEmptySession(session.id)
}

/** Refuses a bare program name that resolves only to a program of a workspace. Such a program needs its path. */
function refuseShadow(program: string): void {
  if (program.includes('/')) return
  const { path, shadow } = findProgram(program)
  if (path !== undefined || shadow === undefined) return
  throw new EscrowError('unsupported', `The only '${program}' on PATH is in a workspace: ${shadow}.`, {
    hint: 'escrow starts no program from a workspace by its bare name. If you mean it, give its path.',
  })
}

/** The places where a program may be. */
interface ProgramPlaces {
  /** The requested session, which may have staged the program. */
  readonly id: string | undefined
  readonly env: Variables
  readonly cwd: string
}

/** Refuses a program that does not exist, before there is a session for it. */
async function refuseMissing(program: string, workspace: Workspace, { id, env, cwd }: ProgramPlaces): Promise<void> {
  const isPath = program.includes('/')
  const { path, inTree } = isPath ? {} : findProgram(program, { ...process.env, ...defined({ PATH: env.PATH }) })
  if (path !== undefined || inTree !== undefined) return
  if (isPath && [cwd, workspace.root].some((place) => existsSync(resolve(place, program)))) return
  if (!isPath && (await workspace.intents.get(program)) !== undefined)
    throw new UsageError(`${program} is an intent. Name it with '--intent ${program}'.`)
  // Only a session that exists can have staged it: at a path, or on a PATH that leads into the workspace.
  const isStageable = isPath || env.PATH !== undefined
  if (isStageable && (await workspace.sessions()).some((session) => session.id === id)) return
  throw new EscrowError('unsupported', `There is no program ${program}${isPath ? '' : ' on the PATH of commands'}.`)
}

/**
 * Returns the command line to start in the sandbox. Where a workspace has a program of the same name, a bare name becomes the path of the
 * person's own: the sandbox may hide that one, and its search would go on to the workspace's.
 * @param command the program and its arguments
 */
export function resolveAgent([program = '', ...args]: readonly string[], { env }: AgentOptions): string[] {
  if (program.includes('/') || env.PATH !== undefined) return [program, ...args]
  const { path = program, inTree } = findProgram(program)
  return [inTree === undefined ? program : path, ...args]
}

/**
 * Runs a program in this terminal. If policy asks a person about the program itself, that is the person who typed it.
 * Resolves with the result, and the exit code of the command.
 */
export async function runHere(
  session: Session,
  program: readonly string[],
  options: AgentOptions,
): Promise<CommandResult & { readonly exitCode: number }> {
  try {
    return await runUntilTerminated(async (signal) => {
      const result = await session.run(resolveAgent(program, options), { ...runOptionsOf(program, options), signal })
      return { ...result, exitCode: result.exitCode ?? exitCodeAfter(signal) }
    })
  } catch (error) {
    if (!(error instanceof EscrowError) || error.reason !== 'needs_approval') throw error
    const id = oneLine(session.id)
    throw new EscrowError(error.reason, error.message, {
      hint: `'escrow questions ${id}' lists the question, and 'escrow answer ${id} QUESTION allow' allows it. Then start the program again with '--session ${id}'.`,
      cause: error,
    })
  }
}

/** Converts the command line options to options of `session.run`. */
export function runOptionsOf(
  command: readonly string[],
  { network, allowHost, env, client = hostOfCommand(command), home }: AgentOptions,
) {
  return {
    network: network === true,
    env,
    home: home === true,
    ...defined({ hosts: allowHost, client }),
  }
}

function describeChoice(intents: readonly Intent[]): string {
  return intents.length === 0
    ? ", after 'escrow intents add' has declared it"
    : `: ${intents.map(({ id }) => oneLine(id)).join(', ')}`
}
