import type { Command } from 'commander'
import type { ChecklistItem, Reviewer } from '../../index.js'
import { findSentences, renderChecklist } from '../checklist.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'
import { byOption } from '../reviewer.js'

interface Options extends AsJson {
  readonly undo?: true
  readonly by?: Reviewer
}

export function register(command: Command, context: Context): void {
  command
    .description(
      'Tick acceptance criteria that are sentences, for the next commit; without any, list them. The list has the sentences of the intents that ' +
        'the approved changes are for, or all staged changes if none is approved. A tick counts for exactly this text, until a commit ' +
        'has recorded it.',
    )
    .argument('<session>', "the session's id")
    .argument('[sentences...]', "an intent's id and the numbers of its sentences, as the list shows them: INT-001 1 2")
    .option('--undo', 'clear the ticks')
    .addOption(byOption())
    .addOption(jsonOption())
    .action((session: string, sentences: string[], options: Options, self: Command) => {
      if (options.undo && sentences.length === 0) return self.error('error: give the sentences whose ticks to clear')
      return tick(context, session, sentences, options)
    })
}

async function tick(
  context: Context,
  session: string,
  sentences: readonly string[],
  { undo, by, json: asJson }: Options,
): Promise<void> {
  const checklist =
    sentences.length === 0
      ? await context.withWorkspace(async (workspace) => (await workspace.review(session)).checklist())
      : await context.asReviewer(async (workspace) => {
          const review = await workspace.review(session)
          for (const { intentId, criterion } of findSentences(await review.checklist(), sentences))
            await review.tick(intentId, criterion, undo !== true, by)
          return review.checklist()
        })
  context.io.out(asJson ? json({ session, checklist }) : render(checklist))
}

function render(checklist: readonly ChecklistItem[]): string {
  if (checklist.length > 0) return renderChecklist(checklist)
  return "No acceptance sentence applies. Declare one with 'escrow intents edit ID --criterion TEXT', or in the file of intents.\n"
}
