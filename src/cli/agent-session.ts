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
    .option('--session <id>', 'the session to work in; a new one unless told')
    .option('--intent <id>', "the intent to work for; the registry's active one unless told")
    .option('--network', 'let it use the network, where policy allows it (`terminal.network`)')
    .option(
      '--allow-host <host>',
      'let it reach this host, where policy allows it, and not all of the network: example.com, *.example.com, example.com:8443; repeat it for more',
      collected,
    )
    .addOption(
      new Option(
        '--client <name>',
        'which client it is, where its name does not say: it keeps its own state in your home directory, and reads its own login',
      ).choices(HOME_HOSTS),
    )
    .option('--home', 'let it write in all of your home directory; what it writes there goes when it ends')
    .option(
      '--env <name[=value]>',
      'give it a variable; without a value your own, though it holds a secret',
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
      `escrow: No intent is selected, so all that it writes will be refused. Name one by '--intent'${choiceOf(await session.intents())}.\n`,
    )
  return session
}

/** A bare name means a program of the person's; one of the workspace has to be named by its path. */
function refuseShadow(program: string): void {
  if (program.includes('/')) return
  const { path, shadow } = findProgram(program)
  if (path !== undefined || shadow === undefined) return
  throw new EscrowError('unsupported', `The only '${program}' on PATH lies in a workspace: ${shadow}.`, {
    hint: 'Name it by its path, if that is the program you mean.',
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
    ? ", once 'escrow intents add' has declared it"
    : `: ${intents.map(({ id }) => oneLine(id)).join(', ')}`
}
