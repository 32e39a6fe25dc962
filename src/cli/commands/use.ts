import type { Command } from 'commander'
import type { Intent, Workspace } from '../../index.js'
import { remediesFor } from '../../surface/index.js'
import type { Context } from '../context.js'
import { addChangeOptions, type ChangeOptions, intentRow } from '../intents/options.js'
import { requireIntent } from '../intents/require-intent.js'
import { type AsJson, json, jsonOption, table } from '../output.js'
import { oneLine } from '../printable.js'
import { selectableIntents } from '../remedies.js'
import { refuseTogether } from '../usage.js'

interface Options extends ChangeOptions, AsJson {
  readonly none?: true
}

export function register(command: Command, context: Context): void {
  addChangeOptions(command)
    .description(
      'Select the intent that agents in this workspace work for unless they select another. It is written to .orchestration/active_intents.yaml. Without an id, show the selected intent.',
    )
    .argument('[intent]', "the intent's id")
    .option('--none', 'select no intent')
    .addOption(jsonOption())
    .action((id: string | undefined, options: Options) => {
      refuseTogether(command, ['an intent', id !== undefined], ['--none', options.none === true])
      return id === undefined && !options.none ? show(context, options) : use(context, id, options)
    })
}

async function use({ io, asReviewer }: Context, id: string | undefined, { by, why, ...options }: Options) {
  const intent = await asReviewer(async (workspace) => {
    if (id !== undefined) return select(workspace, id, { by, why })
    await workspace.intents.deselect(by, why)
    return undefined
  })
  if (options.json) return io.out(json({ intent: intent ?? null }))
  io.out(intent === undefined ? 'No intent is selected.\n' : `selected  ${table([intentRow(intent)])}`)
}

async function select(
  workspace: Workspace,
  id: string,
  { by, why }: { by: ChangeOptions['by']; why: ChangeOptions['why'] },
) {
  await requireIntent(workspace, id)
  try {
    return await workspace.intents.select(id, by, why)
  } catch (error) {
    throw withCommandHint(error, id)
  }
}

/** Replaces the library's hint, which is for agents, with the command for a person. */
function withCommandHint(error: unknown, id: string): unknown {
  const reason: unknown = error instanceof Error ? Reflect.get(error, 'reason') : undefined
  if (!(error instanceof Error) || (reason !== 'intent_not_active' && reason !== 'intent_ignored')) return error
  const [remedy] = remediesFor([{ path: '', reason, intentId: id }], { selectable: [] })
  const hint = `${remedy?.advice ?? ''}${remedy?.command === undefined ? '' : ` '${remedy.command}'`}`
  return Object.assign(new Error(error.message), { reason, hint })
}

async function show({ io, withWorkspace }: Context, options: Options): Promise<void> {
  const { active, choice } = await withWorkspace(async ({ intents }) => ({
    active: await intents.active(),
    choice: selectableIntents(await intents.list()),
  }))
  if (options.json) return io.out(json({ intent: active ?? null }))
  io.out(active === undefined ? `No intent is selected. ${describeChoice(choice)}\n` : table([intentRow(active)]))
}

function describeChoice(intents: readonly Intent[]): string {
  if (intents.length === 0) return "Declare one with 'escrow intents add'."
  return `Select one with 'escrow use': ${intents.map(({ id }) => oneLine(id)).join(', ')}.`
}
