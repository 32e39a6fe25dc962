import type { Command } from 'commander'
import { reportAdopted } from '../adopted.js'
import type { Context } from '../context.js'
import { type AsJson, json, jsonOption } from '../output.js'

export function register(command: Command, context: Context): void {
  const { io, withWorkspace } = context
  command.description(
    'Exchange git notes about the authors of lines (refs/notes/ai, authorship/3.0.0) with other clones and tools such as git-ai.',
  )
  command
    .command('export')
    .description(
      'Write notes for commits from the ledger. The lines that it knows replace what an older note says of them.',
    )
    .argument('[range]', 'a commit or a range', 'HEAD')
    .addOption(jsonOption())
    .action(async (range: string, options: AsJson) => {
      const report = await withWorkspace((workspace) => workspace.adopt({ revisions: [range] }))
      reportAdopted(context, report, options.json === true)
    })
  command
    .command('import')
    .description(
      "Merge the notes of another ref, as from 'git fetch origin refs/notes/ai:refs/notes/origin/ai'. A commit with a note in both gets the lines of both.",
    )
    .argument('[ref]', 'the ref', 'refs/notes/origin/ai')
    .addOption(jsonOption())
    .action(async (ref: string, options: AsJson) => {
      const report = await withWorkspace((workspace) => workspace.importNotes(ref))
      if (options.json) io.out(json(report))
      else if (report.imported.length === 0) io.out('The notes need no change.\n')
      else io.out(report.imported.map((id) => `taken    ${id.slice(0, 10)}\n`).join(''))
    })
}
