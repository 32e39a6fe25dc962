import { type Command, Option } from 'commander'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'

/** A script for `.git/hooks/prepare-commit-msg`. */
const HOOK = `#!/bin/sh
# Puts the ledger's head into each commit message: 'escrow trailer --hook'
trailer=$(escrow trailer) || exit 0
git interpret-trailers --in-place --if-exists replace --trailer "$trailer" "$1"
`

export function register(command: Command, { io, withWorkspace, exit }: Context): void {
  command
    .description("Print the ledger's head as a trailer for a git commit message: 'Trace-Head: NUMBER:HASH'.")
    .addOption(new Option('--hook', "print a script for git's prepare-commit-msg hook that adds it").conflicts('json'))
    .addOption(jsonOption())
    .action(async (options: { hook?: true } & AsJson) => {
      if (options.hook) {
        io.out(HOOK)
        return
      }
      const head = await withWorkspace((workspace) => workspace.ledger.head())
      if (head !== undefined) io.out(options.json ? json(head) : `Trace-Head: ${head.seq}:${head.hash}\n`)
      else {
        io.err('The ledger has no record yet.\n')
        exit(EXIT.refused)
      }
    })
}
