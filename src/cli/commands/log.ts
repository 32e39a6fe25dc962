import type { Command } from 'commander'
import { intentOf, pathsOf, type TraceRecord } from '../../index.js'
import type { Context } from '../context.js'
import { json, table } from '../output.js'
import { rowOf } from '../trace-record.js'

interface Options {
  readonly json?: true
  readonly intent?: string
  readonly path?: string
}

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description('Show the ledger, oldest record first.')
    .option('--json', 'print one JSON document: an array of records')
    .option('--intent <id>', 'only records of this intent')
    .option('--path <path>', 'only records about this path, relative to the root')
    .action(async (options: Options) => {
      const records = await withWorkspace(async (workspace) => {
        const found: TraceRecord[] = []
        for await (const record of workspace.ledger.records()) if (isAskedFor(record, options)) found.push(record)
        return found
      })
      if (options.json) io.out(json(records))
      else io.out(records.length === 0 ? 'No records.\n' : table(records.map(rowOf)))
    })
}

function isAskedFor(record: TraceRecord, { intent, path }: Options): boolean {
  if (intent !== undefined && intentOf(record) !== intent) return false
  return path === undefined || pathsOf(record).includes(path)
}
