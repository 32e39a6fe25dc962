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
      "Answer one event of a client's hooks, read from stdin. `escrow init --claude`, and so on, enters it there.",
    )
    .addArgument(new Argument('<client>', 'whose event it is').choices(HOME_HOSTS))
    .option('--session <id>', "the session to judge by; the client's own unless told")
    .action(async (client: HomeHost, { session }: Options) => exit(await answerHook(client, io, session)))
}
