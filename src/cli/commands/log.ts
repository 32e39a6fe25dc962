import { type Command, InvalidArgumentError, Option } from 'commander'
import { defined } from '../../core/defined.js'
import type { TraceRecord, Workspace } from '../../index.js'
import { intentOf, nearest, pathsOf, shellWord, TRACE_TYPES, timeOf, toHistoryEntry } from '../../surface/index.js'
import { type Context, UsageError } from '../context.js'
import { requireIntent } from '../intents/require-intent.js'
import { parseWholeNumber } from '../numbers.js'
import { json, jsonOption, table } from '../output.js'
import { parseTime } from '../parse-time.js'
import { oneLine } from '../printable.js'
import { logRow, shortLogRow } from '../trace-record.js'
import { nameInWorkspace, placeOf } from '../typed-path.js'

interface Options {
  readonly json?: true
  readonly oneline?: true
  readonly reverse?: true
  readonly maxCount?: number
  readonly intent?: string
  readonly session?: string
  readonly path?: string
  readonly kind?: readonly string[]
  readonly since?: number
  readonly until?: number
}

export function register(command: Command, context: Context): void {
  const { io, page, withWorkspace } = context
  command
    .description('Show the ledger, newest record first.')
    .allowExcessArguments()
    .option('-n, --max-count <n>', 'at most this many, the newest ones', parseWholeNumber)
    .option('--since <when>', "records since a date (UTC) or an age: '2026-11-22', '3d', '2 hours ago'", parseWhen)
    .option('--until <when>', 'records until a date or an age', parseWhen)
    .option('--intent <id>', 'records of this intent')
    .option('--session <id>', 'records of this session')
    .option('--path <path>', 'records about this path, relative to the root or to the current directory')
    .addOption(
      new Option('--kind <kinds...>', 'records of these kinds, separated by commas or spaces')
        .choices(KINDS)
        .argParser(parseKinds),
    )
    .option('--oneline', 'one line per record: number, kind, intent and subject')
    .option('--reverse', 'show the oldest record first')
    .addOption(jsonOption('an array of records, oldest first'))
    .action(async (options: Options, { args: [path] }: Command) => {
      if (path !== undefined) {
        const word = shellWord(path)
        throw new UsageError(
          `'escrow log' takes no path. 'escrow log --path ${word}' lists the records about it, 'escrow blame ${word}' shows who wrote its lines.`,
        )
      }
      const records = await withWorkspace(async (workspace) => {
        const found: TraceRecord[] = []
        const path = options.path && nameInWorkspace(options.path, placeOf(workspace, context))
        const filter = { ...options, ...defined({ path }) }
        const shows = { session: false, intent: false }
        for await (const record of workspace.ledger.records({ order: 'newest' })) {
          if (found.length === options.maxCount) break
          shows.session ||= record.session_id === options.session
          shows.intent ||= intentOf(record) === options.intent
          if (matchesFilter(record, filter)) found.push(record)
        }
        await refuseUnknown(workspace, options, shows)
        return found
      })
      if (options.json) return io.out(json(records.toReversed()))
      const rows = (options.reverse ? records.toReversed() : records).map(options.oneline ? shortLogRow : logRow)
      await page(rows.length === 0 ? 'No records.\n' : table(rows))
    })
}

/** Rejects for a session or intent that neither the records nor the workspace know. */
async function refuseUnknown(
  workspace: Workspace,
  { session, intent }: Options,
  shows: { readonly session: boolean; readonly intent: boolean },
): Promise<void> {
  if (session !== undefined && !shows.session) await workspace.review(session)
  if (intent !== undefined && !shows.intent) await requireIntent(workspace, intent)
}

const VERDICTS = ['approved', 'rejected', 'withdrawn']
/** A commit that a landing queue made is one kind of commit. */
const LANDED = 'landed'
const KINDS = [...TRACE_TYPES, ...VERDICTS, LANDED]

/** Parses `commit,denied`. `verdict` covers all verdicts, and `commit` what landed. @param before the kinds of earlier arguments */
function parseKinds(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').filter((word) => word !== '')
  const unknown = names.find((word) => !KINDS.includes(word))
  if (unknown === undefined) return [...before, ...names]
  const meant = nearest(unknown, KINDS)
  const question = meant === undefined ? '' : ` Did you mean '${meant}'?`
  throw new InvalidArgumentError(`There is no kind '${oneLine(unknown)}'.${question} Use one of: ${KINDS.join(', ')}.`)
}

function isOfKind(record: TraceRecord, kinds: readonly string[]): boolean {
  const { what } = toHistoryEntry(record)
  if (kinds.includes(what)) return true
  return (kinds.includes('verdict') && VERDICTS.includes(what)) || (kinds.includes('commit') && what === LANDED)
}

/** Drops the second argument of Commander, the previous value. */
function parseWhen(text: string): number {
  return parseTime(text)
}

function matchesFilter(record: TraceRecord, { intent, session, path, kind, since, until }: Options): boolean {
  if (kind !== undefined && !isOfKind(record, kind)) return false
  if (intent !== undefined && intentOf(record) !== intent) return false
  if (session !== undefined && record.session_id !== session) return false
  if (path !== undefined && !pathsOf(record).includes(path)) return false
  if (since === undefined && until === undefined) return true
  const at = timeOf(record)
  return at !== undefined && at >= (since ?? at) && at <= (until ?? at)
}
