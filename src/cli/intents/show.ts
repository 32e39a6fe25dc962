import type { Command } from 'commander'
import type { Intent, IntentVersion } from '../../index.js'
import type { Context } from '../context.js'
import { json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'
import { UNACCEPTED_FILES } from '../unaccepted.js'
import { unknownCommand } from '../unknown-command.js'
import { intentRow } from './options.js'
import { unknownIntentError } from './require-intent.js'

interface Options {
  readonly json?: true
}

/** Registers `list`, `show` and `templates`. */
export function registerListing(command: Command, { io, withWorkspace }: Context): void {
  command
    .command('list', { isDefault: true })
    // Commander passes a mistyped command here.
    .allowExcessArguments()
    .description('List the intents.')
    .addOption(jsonOption())
    .action(async (options: Options, self: Command) => {
      const [word] = self.args
      if (word !== undefined) return failOnUnknownCommand(command, word)
      const { intents, waiting } = await withWorkspace(async (workspace) => ({
        intents: await workspace.intents.list(),
        waiting: (await workspace.trust()).waiting,
      }))
      if (options.json) return io.out(json({ intents }))
      const none = waiting ? '' : "No intents. Declare one with 'escrow intents add'.\n"
      io.out(intents.length === 0 ? none : table(intents.map(intentRow)))
      if (waiting) io.out(`${UNACCEPTED_FILES}\n`)
    })
  command
    .command('show')
    .description('Show an intent and the history of its scope and status.')
    .argument('<id>', "the intent's id")
    .addOption(jsonOption())
    .action(async (id: string, options: Options) => {
      const { intent, versions } = await withWorkspace(async ({ intents }) => {
        const [intent, versions] = [await intents.get(id), await intents.history(id)]
        if (!intent && versions.length === 0) throw unknownIntentError(id, await intents.list())
        return { intent, versions }
      })
      io.out(options.json ? json({ intent, versions }) : render(id, intent, versions))
    })
  command
    .command('templates')
    .description('List the templates for new intents: built-in ones and those of .orchestration/templates.')
    .addOption(jsonOption())
    .action(async (options: Options) => {
      const templates = await withWorkspace((workspace) => workspace.intents.templates())
      if (options.json) io.out(json({ templates }))
      else io.out(table(templates.map(({ name, source, summary }) => [name, source, summary])))
    })
}

function render(id: string, intent: Intent | undefined, versions: readonly IntentVersion[]): string {
  const head = intent ? renderIntent(intent) : `${oneLine(id)} is no longer declared.\n`
  return versions.length === 0 ? head : `${head}Versions\n${table(versions.map(versionRow), '  ')}`
}

function renderIntent(intent: Intent): string {
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? '' : `${title}\n${texts.map((text) => `  ${oneLine(text)}\n`).join('')}`
  return [
    table([intentRow(intent)]),
    intent.ownedScope.length === 0 ? 'Scope: empty, so every write is refused.\n' : list('Scope', intent.ownedScope),
    list('Constraints', intent.constraints),
    list('Acceptance criteria', intent.acceptanceCriteria),
    list('Checks', intent.checks.map(describeCheck)),
    list('Depends on', intent.dependsOn),
  ].join('')
}

function describeCheck({ run, paths, timeout, network }: Intent['checks'][number]): string {
  const limits = [
    ...(paths === undefined ? [] : [`for ${paths.join(' ')}`]),
    ...(timeout === undefined ? [] : [`at most ${timeout} s`]),
    ...(network === undefined ? [] : [`network: ${network.join(' ')}`]),
  ]
  return limits.length === 0 ? run : `${run}  (${limits.join('; ')})`
}

function versionRow({ at, by, byHand, session, why, ...what }: IntentVersion): string[] {
  const { created, deleted, status, added = [], removed = [] } = what
  const details = [
    ...(created ? ['declared'] : []),
    ...(deleted ? ['removed from the file'] : []),
    ...(status ? [`${status.from} to ${status.to}`] : []),
    ...added.map((glob) => `+${glob}`),
    ...removed.map((glob) => `-${glob}`),
  ]
  const who = [by ?? (byHand ? 'file edited' : undefined), session].filter((each) => each !== undefined)
  return [at, who.join(', '), details.join(' '), why ?? '']
}

function failOnUnknownCommand(command: Command, word: string): never {
  const names = command.commands.map((each) => each.name())
  return command.error(unknownCommand(word, names))
}
