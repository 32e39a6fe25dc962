import { Argument, type Command } from 'commander'
import { HOME_HOSTS, type HomeHost } from '../../hosts/index.js'
import type { Context } from '../context.js'
import { answerHook } from '../hook-answer.js'

interface Options {
  readonly session?: string
}

export function register(command: Command, { io, exit }: Context): void {
  command
    .description(
      "Read one event of a client's hooks from stdin, and print the answer. `escrow init` with the client's name installs it.",
    )
    .addArgument(new Argument('<client>', 'the client that sends the event').choices(HOME_HOSTS))
    .option('--session <id>', "the session to judge by (default: the client's own)")
    .action(async (client: HomeHost, { session }: Options) => exit(await answerHook(client, io, session)))
}
