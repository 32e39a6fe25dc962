import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, library }: Context): void {
  command
    .description(
      'Make an Ed25519 key outside of all workspaces, unless there is one, and print its public half. From then on a ' +
        'signed checkpoint follows each commit you make.',
    )
    .option(
      '--reviewer',
      'make the key by which you decide without a terminal, in scripts and CI (`ESCROW_REVIEWER_KEY`)',
    )
    .addOption(jsonOption())
    .action(async (options: { reviewer?: true } & AsJson) => {
      const { makeReviewerKey, makeSigningKey } = await library()
      const key = options.reviewer ? makeReviewerKey() : makeSigningKey()
      if (options.json) io.out(json(key))
      else io.out(`${key.created ? 'made' : 'kept'}  ${oneLine(key.file)}\n${key.fingerprint}\n${key.publicKey}`)
    })
}
