import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { BlameLine } from '../../index.js'
import type { Context } from '../context.js'
import { json, table } from '../output.js'
import { oneLine } from '../printable.js'

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description('Show who wrote each line of a file: intent, model, session, who approved it; and the line.')
    .argument('<path>', 'a file as it is called now, relative to the root')
    .option('--json', 'print one JSON document: an array of lines')
    .action(async (path: string, options: { json?: true }) => {
      const { root, lines } = await withWorkspace(async (workspace) => ({
        root: workspace.root,
        lines: await workspace.ledger.blame(path),
      }))
      if (options.json) io.out(json(lines))
      else if (lines.length > 0) io.out(render(lines, readFileSync(resolve(root, path), 'utf8').split('\n')))
    })
}

function render(lines: readonly BlameLine[], text: readonly string[]): string {
  return table(
    lines.map((line) => [...credit(line), `${line.line}`, (text[line.line - 1] ?? '').replaceAll('\t', '    ')]),
  )
}

function credit({ contributor, intentId = '-', model, sessionId = '-', approvedBy = '-' }: BlameLine): string[] {
  return [intentId, model ?? contributor, sessionId, approvedBy].map(oneLine)
}
