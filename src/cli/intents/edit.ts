import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { Intent, IntentChanges, IntentStatus, NewIntent } from '../../index.js'
import { proposeLike } from '../../surface/index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import {
  addChangeOptions,
  addDetails,
  type ChangeOptions,
  type Details,
  detailsOf,
  noteDirectories,
  parseName,
  parseStatus,
  statusOption,
} from './options.js'
import { requireIntent } from './require-intent.js'

interface AddOptions extends ChangeOptions, Details, AsJson {
  readonly id?: string
  readonly from?: string
  readonly like?: string
  readonly scope?: string[]
  readonly status?: IntentStatus
}

interface EditOptions extends ChangeOptions, Details, AsJson {
  readonly name?: string
  readonly status?: IntentStatus
}

/** Registers `add`, `edit` and `status`. */
export function registerEditing(command: Command, context: Context): void {
  const { io, asReviewer } = context
  addChangeOptions(addDetails(command.command('add').addOption(statusOption())))
    .description('Declare an intent: a task, and the paths that it may change.')
    .argument('<name>', 'the task, in a few words', parseName)
    .option('--scope <glob...>', 'globs of paths it may change; `!` excludes')
    .option('--from <template>', "start from a template; 'escrow intents templates' lists them")
    .option('--like <example>', 'propose the scope and the checks from a path or a git commit')
    .option('--id <id>', 'its id (default: the next number)')
    .addOption(jsonOption())
    .action(async (name: string, options: AddOptions) => {
      const proposed = options.like === undefined ? undefined : proposeLike(context.root(), options.like)
      const wanted = toNewIntent(name, {
        ...options,
        ...defined({
          scope: options.scope ?? proposed?.scope.slice(),
          check: options.check ?? proposed?.checks.slice(),
        }),
      })
      const intent = await asReviewer(({ intents }) => intents.add(wanted, options.by, options.why))
      io.err(noteDirectories(context.root(), intent.id, options.scope))
      if (options.json) return io.out(json({ intent }))
      io.out(`added  ${oneLine(intent.id)}  ${oneLine(intent.name)}\n`)
      if (proposed !== undefined) {
        io.out(`scope  ${intent.ownedScope.map(oneLine).join(', ')}\n`)
        for (const { run } of intent.checks) io.out(`check  ${oneLine(run)}\n`)
      }
      if (intent.ownedScope.length === 0)
        io.out(`It may change no path yet. Add some with 'escrow intents scope ${oneLine(intent.id)} --add GLOB'.\n`)
    })
  addChangeOptions(addDetails(command.command('edit').addOption(statusOption())))
    .description(
      'Change an intent with options. Without options, open the whole file in your editor ($VISUAL, $EDITOR).',
    )
    .argument('[id]', "the intent's id")
    .option('--name <text>', 'its name', parseName)
    .addOption(jsonOption())
    .action(async (id: string | undefined, options: EditOptions, self: Command) => {
      const changes = changesOf(options)
      const hasChanges = Object.keys(changes).length > 0
      if (!hasChanges && options.json) return self.error('error: --json needs an option that changes the intent')
      if (!hasChanges) return editInEditor(context, options)
      if (id === undefined) return self.error("error: give the id of the intent to change; 'escrow intents' lists them")
      await changeIntent(context, id, changes, options)
    })
  addChangeOptions(command.command('status'))
    .description('Set the status of an intent.')
    .argument('<id>', "the intent's id")
    .argument('<status>', 'DRAFT, PENDING, IN_PROGRESS, BLOCKED, COMPLETED or ARCHIVED', parseStatus)
    .addOption(jsonOption())
    .action((id: string, status: IntentStatus, options: ChangeOptions & AsJson) =>
      changeIntent(context, id, { status }, options),
    )
}

function toNewIntent(name: string, options: AddOptions): NewIntent {
  const { id, from, scope, status } = options
  return {
    name,
    ...defined({ id, from, ownedScope: scope, status }),
    ...detailsOf(options),
  }
}

function changesOf({ name, status, ...details }: EditOptions): IntentChanges {
  return { ...defined({ name, status }), ...detailsOf(details) }
}

async function changeIntent(
  context: Context,
  id: string,
  changes: IntentChanges,
  options: ChangeOptions & AsJson,
): Promise<void> {
  const intent: Intent = await context.asReviewer(async (workspace) => {
    await requireIntent(workspace, id)
    return workspace.intents.edit(id, changes, options.by, options.why)
  })
  if (options.json) return context.io.out(json({ intent }))
  context.io.out(`changed  ${oneLine(intent.id)}  ${intent.status}  ${oneLine(intent.name)}\n`)
}

/** Opens the intents file in the editor. An invalid file opens again until it is valid or saved unchanged. */
async function editInEditor({ io, library, asReviewer }: Context, { by, why }: ChangeOptions): Promise<void> {
  const { editText } = await library()
  let draft: string | undefined
  let problem: unknown
  const editDraft = async (text: string) => {
    const now = await editText(draft ?? text, 'active_intents.yaml')
    if (problem !== undefined && now === draft) throw problem
    draft = now
    return now
  }
  await asReviewer(async ({ intents }) => {
    for (;;) {
      try {
        await intents.editFile(editDraft, by, why)
        return
      } catch (error) {
        if (error === problem || !(error instanceof Error) || Reflect.get(error, 'reason') !== 'policy_invalid')
          throw error
        problem = error
        io.err(`${oneLine(error.message)} The editor opens again.\n`)
      }
    }
  })
  io.out("Done. 'escrow intents' lists the intents.\n")
}
