import type { Command } from 'commander'
import type { Intent } from '../../index.js'
import type { Colors, Context } from '../context.js'
import { flagName } from '../flag-name.js'
import { type AsJson, json, jsonOption, pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { renderRemedies } from '../remedies.js'
import { nameInWorkspace, placeOf } from '../typed-path.js'
import type { Findings, PastRefusal } from '../why.js'

interface Options extends AsJson {
  readonly session?: string
  readonly intent?: string
}

export function register(command: Command, context: Context): void {
  const { io, colors, withWorkspace } = context
  command
    .description(
      'Explain whether an agent may change a path: each rule and where it is written, the intent, where the path is staged or in quarantine, past refusals, and the command that allows it. Nothing is changed.',
    )
    .argument('<path>', 'a file or directory, relative to the root or to the current directory; it need not exist')
    .option('--session <id>', 'as this session sees the path, under its intent')
    .option('--intent <id>', "for this intent (default: the session's, the selected one, or that of the last refusal)")
    .addOption(jsonOption())
    .action(async (path: string, options: Options) => {
      const { explainPath } = await import('../why.js')
      const found = await withWorkspace((workspace) =>
        explainPath(workspace, nameInWorkspace(path, placeOf(workspace, context)), options),
      )
      io.out(options.json ? json(found) : render(found, colors))
    })
}

function render(found: Findings, colors: Colors): string {
  const { path, write, read, intent, owners, staged, quarantined, refused, remedies } = found
  const answer = (verdict: string, reason: string | undefined, allowed: string) =>
    verdict === 'deny' ? colors.red(`refused (${reason ?? ''})`) : colors.green(allowed)
  const rules = write.rules.map(({ rule, verdict, source = '', message }) => [
    rule,
    verdict === 'deny' ? 'refuses' : 'passes',
    [source, verdict === 'deny' ? (message ?? '') : ''].filter((each) => each !== '').join('  '),
  ])
  return [
    `${oneLine(path)}\n`,
    `  write   ${answer(write.verdict, write.reason, 'staged for review')}\n`,
    `  read    ${answer(read.verdict, read.reason, 'allowed')}\n`,
    `  intent  ${describeIntent(intent, owners)}\n`,
    `Rules for a write, in their order\n${table(rules, '  ')}`,
    section(
      'Staged',
      staged.map(({ session, state, flags }) => [session, state, flags.map(flagName).join(' ')]),
    ),
    section(
      'In quarantine',
      quarantined.map(({ session, at, reason }) => [session, at, reason]),
    ),
    renderPastRefusals(refused),
    renderRemedies(remedies),
  ].join('')
}

function describeIntent(intent: Intent | undefined, owners: readonly string[]): string {
  const selected = intent === undefined ? 'none selected' : `${oneLine(intent.id)}  ${oneLine(intent.name)}`
  const others = owners.filter((id) => id !== intent?.id)
  return others.length === 0 ? selected : `${selected}; ${others.map(oneLine).join(', ')} may change it`
}

function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `${title}\n${table(rows, '  ')}`
}

/** The number of past refusals that are listed. */
const MAX_REFUSALS = 5

function renderPastRefusals(refused: readonly PastRefusal[]): string {
  const rows = refused.slice(-MAX_REFUSALS).toReversed()
  const more = refused.length > rows.length ? `, the last ${rows.length}` : ''
  return section(
    `Refused ${pluralize(refused.length, 'time')}${more}`,
    rows.map(({ at, session = '-', intent = '-', reason }) => [at, session, intent, reason]),
  )
}
