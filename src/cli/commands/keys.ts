import type { Command } from 'commander'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, library }: Context): void {
  command
    .description(
      'Create an Ed25519 key outside all workspaces, if there is none, and print its public half. From then on, each commit you make is followed by a signed checkpoint.',
    )
    .option('--reviewer', 'create the key for decisions without a terminal, in scripts and CI (`ESCROW_REVIEWER_KEY`)')
    .addOption(jsonOption())
    .action(async (options: { reviewer?: true } & AsJson) => {
      const { makeReviewerKey, makeSigningKey } = await library()
      const key = options.reviewer ? makeReviewerKey() : makeSigningKey()
      if (options.json) io.out(json(key))
      else io.out(`${key.created ? 'made' : 'kept'}  ${oneLine(key.file)}\n${key.fingerprint}\n${key.publicKey}`)
    })
}
