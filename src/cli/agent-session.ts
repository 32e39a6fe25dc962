import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { defined } from '../core/defined.js'
import { EscrowError, findProgram, type HomeHost, type Intent, type Session, type Workspace } from '../index.js'
import { HOME_HOSTS, hostOfProgram } from '../surface/index.js'
import type { Io } from './context.js'
import { knownIntent } from './intents/known.js'
import { oneLine } from './printable.js'
import { type Variables, variable } from './variables.js'

/** What `run` and `acp` are told of the session a program works in. */
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
      collected,
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
      variable,
      {},
    )
}

/** For an option that may be repeated: all its values. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

/** Opens the session for a program; whose word is missing for its writes is told that now. */
export async function openFor(
  [program = '']: readonly string[],
  workspace: Workspace,
  { session: id, intent, env }: AgentOptions,
  { io, prefix }: { readonly io: Io; readonly prefix: string },
): Promise<Session> {
  if (env.PATH === undefined) refuseShadow(program)
  // Before the session: a mistyped id leaves none behind.
  if (intent !== undefined) await knownIntent(workspace, intent)
  const session = await workspace.session({
    id: id ?? `${prefix}-${Date.now().toString(36)}`,
    agent: { tool: basename(program) },
  })
  if (intent !== undefined) await session.selectIntent(intent)
  if (session.intent === undefined)
    io.err(
      `escrow: No intent is selected, so every write will be refused. Name one with '--intent'${choiceOf(await session.intents())}.\n`,
    )
  return session
}

/** A bare name means a program of the person's; one of the workspace has to be named by its path. */
function refuseShadow(program: string): void {
  if (program.includes('/')) return
  const { path, shadow } = findProgram(program)
  if (path !== undefined || shadow === undefined) return
  throw new EscrowError('unsupported', `The only '${program}' on PATH is in a workspace: ${shadow}.`, {
    hint: 'escrow starts no program from a workspace by its bare name. If you mean it, give its path.',
  })
}

/** What the options say of how the program runs. */
export function runningBy(
  [program = '']: readonly string[],
  { network, allowHost, env, client = hostOfProgram(program), home }: AgentOptions,
) {
  return {
    network: network === true,
    env,
    home: home === true,
    ...defined({ hosts: allowHost, client }),
  }
}

function choiceOf(intents: readonly Intent[]): string {
  return intents.length === 0
    ? ", after 'escrow intents add' has declared it"
    : `: ${intents.map(({ id }) => oneLine(id)).join(', ')}`
}
