import type { Command } from 'commander'
import { type Context, EXIT } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'

interface Options extends AsJson {
  readonly yes?: true
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Import staged work of an earlier version from the repository. Sessions become proposals without a verdict. Files that this machine cannot prove to be its own are listed and left alone.',
    )
    .option('-y, --yes', 'do not ask')
    .addOption(jsonOption())
    .action((options: Options) => migrate(context, options))
}

async function migrate({ io, library, root, exit }: Context, options: Options): Promise<void> {
  const { findOldState, migrateOldState, admitTruster } = await library()
  const old = findOldState(root())
  const print = (text: string) => {
    if (!options.json) io.out(text)
  }
  if (old === undefined) {
    print('There are no files of an earlier version in .orchestration.\n')
    if (options.json) io.out(json({ names: [], sessions: [], isOurs: false, migrated: [] }))
    return
  }
  const { names, sessions, isOurs } = old
  print(`An earlier version left these files in the repository. They are no longer used:\n${listOf(names)}`)
  if (!isOurs || sessions.length === 0) {
    print(isOurs ? 'They contain no staged work.\n' : FOREIGN_FILES)
    print(REMOVE)
    if (options.json) io.out(json({ ...old, migrated: [] }))
    return
  }
  print(`The staged work of these sessions can be imported, without its verdicts:\n${listOf(sessions)}`)
  const prompts = options.yes ? undefined : await io.ask?.()
  if (options.yes !== true && (await prompts?.confirm('Import it?')) !== true) {
    io.err('escrow: Nothing was changed.\n')
    return exit(EXIT.refused)
  }
  admitTruster(root(), { terminal: io.terminal }, false)
  const migrated = migrateOldState(root())
  if (options.json) return io.out(json({ ...old, migrated }))
  for (const id of migrated) print(`migrated  ${oneLine(id)}\n`)
  print(REMOVE)
}

const FOREIGN_FILES =
  'Nothing on this machine proves that it wrote these files. They may have come with the repository.\n'
const REMOVE =
  "When you no longer need them: 'rm -r .orchestration/sessions .orchestration/commits .orchestration/tx'\n"

function listOf(names: readonly string[]): string {
  return names.map((name) => `  ${oneLine(name)}\n`).join('')
}
