import type { Command } from 'commander'
import type { Context } from '../context.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, library, directory }: Context): void {
  command
    .description('Make the directory a workspace: .orchestration with a starter set of files. What is there stays.')
    .action(async () => {
      const { created, kept } = await (await library()).initWorkspace(directory())
      for (const path of created) io.out(`created  ${oneLine(path)}\n`)
      for (const path of kept) io.out(`kept     ${oneLine(path)}\n`)
      io.out("Declare an intent with 'escrow intents add', or in .orchestration/active_intents.yaml.\n")
    })
}
