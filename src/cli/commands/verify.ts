import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Reviewer, VerifyResult } from '../../index.js'
import { type Context, EXIT } from '../context.js'
import { counted, json, jsonOption } from '../output.js'
import { oneLine } from '../printable.js'
import { during } from '../progress.js'
import { byOption } from '../reviewer.js'

interface Options {
  readonly json?: true
  readonly anchor?: true
  readonly heads?: string
  readonly join?: true
  readonly by?: Reviewer
}

export function register(command: Command, { io, withWorkspace, asReviewer, exit }: Context): void {
  const anchor =
    'anchor the ledger as it stands, whatever was anchored before: it was begun anew or restored on purpose'
  const heads =
    "a file with heads that must be there, one a line, as 'escrow trailer' prints them; '-' is standard input"
  const join = 'join the branches of a ledger that git merged, by a record that names their ends'
  command
    .description('Check that no ledger record was changed, cut out, cut off, written anew or forked.')
    .addOption(jsonOption())
    .option('--heads <file>', heads)
    .option('--anchor', anchor)
    .option('--join', join)
    .addOption(byOption())
    .action(async ({ anchor, heads, join, by, ...options }: Options) => {
      const given = heads === undefined ? [] : headsIn(heads)
      const open = join || anchor ? asReviewer : withWorkspace
      const result = await open(async (workspace) => {
        const { ledger } = workspace
        if (join && (await ledger.join(by)) !== undefined) await workspace.mapIntents()
        if (anchor) await ledger.anchor()
        return during(io, 'Reading the ledger', () => ledger.verify(...(given.length > 0 ? [{ heads: given }] : [])))
      })
      if (!result.ok) exit(EXIT.badLedger)
      const { line, reason } = result.firstBad ?? { line: 0, reason: 'the reason is not known' }
      if (options.json) io.out(json(result))
      else if (result.ok) io.out(`The ledger is whole: ${counted(result.records, 'record')}${vouched(result)}.\n`)
      else
        io.err(`The ledger is bad from line ${line} on: ${oneLine(reason).replace(/\.?$/, '.')} Nothing was changed.\n`)
    })
}

function headsIn(file: string): string[] {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '')
}

function vouched({ anchored, signed = 0, unknownKeys = 0 }: VerifyResult): string {
  return [
    anchored === undefined ? '' : `, anchored up to number ${anchored}`,
    signed === 0 ? '' : `, ${counted(signed, 'checkpoint')} signed`,
    unknownKeys === 0 ? '' : `, ${counted(unknownKeys, 'checkpoint')} signed by keys not known here`,
  ].join('')
}
