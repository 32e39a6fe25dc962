import type { Command } from 'commander'
import { defined } from '../../core/defined.js'
import type { Question, Workspace } from '../../index.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { findQuestion } from '../questions.js'
import { addChangeOptions, type ChangeOptions, noteDirectories } from './options.js'
import { requireIntent } from './require-intent.js'

interface Options extends ChangeOptions, AsJson {
  readonly add?: string[]
  readonly remove?: string[]
  readonly accept?: string
  readonly refuse?: string
}

/** Registers `scope`, which shows and changes an intent's globs and answers agents' requests for more. */
export function registerScope(command: Command, context: Context): void {
  addChangeOptions(command.command('scope'))
    .description("Show, extend or narrow an intent's scope, or answer an agent's request for more of it.")
    .argument('<id>', "the intent's id")
    .option('--add <glob...>', 'globs to add; `!` excludes')
    .option('--remove <glob...>', 'globs to remove, as the file spells them')
    .option('--accept <request>', "add the globs of an agent's request, by its id or the beginning of it")
    .option('--refuse <request>', 'refuse a request; the agent reads --why')
    .addOption(jsonOption())
    .action(async (id: string, options: Options) => {
      const { add, remove, accept, refuse } = options
      const isDecision = [add, remove, accept, refuse].some((each) => each !== undefined)
      const open = isDecision ? context.asReviewer : context.withWorkspace
      await open((workspace) => scope(context, workspace, id, options))
    })
}

async function scope(context: Context, workspace: Workspace, id: string, options: Options): Promise<void> {
  const { add, remove, accept, refuse, by, why } = options
  if (accept !== undefined) await answer(workspace, id, accept, 'allow', options)
  if (refuse !== undefined) await answer(workspace, id, refuse, 'deny', options)
  if (add !== undefined || remove !== undefined) {
    await requireIntent(workspace, id)
    await workspace.intents.edit(id, { ...defined({ addScope: add, removeScope: remove }) }, by, why)
  }
  await show(context, workspace, id, options)
  context.io.err(noteDirectories(workspace.root, id, add))
}

type Request = Extract<Question, { kind: 'scope' }>

async function requestsFor(workspace: Workspace, id: string): Promise<{ session: string; request: Request }[]> {
  const found = []
  for (const { id: session, damaged } of await workspace.sessions()) {
    if (damaged !== undefined) continue
    for (const question of await (await workspace.review(session)).questions())
      if (question.kind === 'scope' && question.intentId === id) found.push({ session, request: question })
  }
  return found
}

async function answer(
  workspace: Workspace,
  id: string,
  typedId: string,
  verdict: 'allow' | 'deny',
  { by, why }: ChangeOptions,
): Promise<void> {
  const open = (await requestsFor(workspace, id)).map(({ session, request }) => ({ session, id: request.id }))
  const found = findQuestion(typedId, open, `escrow intents scope ${id}`)
  const words = why === undefined ? {} : { words: why }
  await (await workspace.review(found.session)).answer(found.id, { answer: verdict, ...words, ...(by && { by }) })
}

async function show({ io }: Context, workspace: Workspace, id: string, options: AsJson): Promise<void> {
  const intent = await requireIntent(workspace, id)
  const requests = await requestsFor(workspace, id)
  if (options.json)
    return io.out(json({ intent, requests: requests.map(({ session, request }) => ({ session, ...request })) }))
  for (const glob of intent.ownedScope) io.out(`${oneLine(glob)}\n`)
  if (intent.ownedScope.length === 0) io.out('The scope is empty, so every write is refused.\n')
  for (const { session, request } of requests)
    io.out(
      `requested by ${oneLine(session)}  ${request.id}  ${oneLine(request.globs.join(', '))}: ${oneLine(request.why)}\n`,
    )
}
