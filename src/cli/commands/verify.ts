import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Ledger, Reviewer, UnanchoredRecords, VerifyResult } from '../../index.js'
import { type Colors, type Context, EXIT } from '../context.js'
import { json, jsonOption, pluralize, table } from '../output.js'
import { oneLine } from '../printable.js'
import { withProgress } from '../progress.js'
import { readStdin } from '../read-stdin.js'
import { formatRecordNumbers } from '../record-numbers.js'
import { collect } from '../repeated.js'
import { byOption } from '../reviewer.js'
import type { AttestationOptions } from '../verify-attestation.js'

interface Options {
  readonly json?: true
  readonly anchor?: true
  readonly heads?: string
  readonly join?: true
  readonly yes?: true
  readonly by?: Reviewer
  readonly attestation?: string
}

export function register(command: Command, context: Context): void {
  const anchor = 'anchor the ledger as it is now, after it was replaced or reset on purpose'
  const heads =
    "a file of heads that the ledger must contain, one per line, as 'escrow trailer' prints them; '-' is stdin"
  const join =
    'show the records that this machine does not know, then accept them; if git merged two branches of the ledger, join them with a record'
  command
    .description(
      'Check that no ledger record was changed, removed, cut off, rewritten or forked, and list the records that this machine does not know.',
    )
    .addOption(jsonOption())
    .option('--heads <file>', heads)
    .option('--anchor', anchor)
    .option('--join', join)
    .option('-y, --yes', 'with --join: do not ask')
    .addOption(byOption())
    .addOption(
      new Option(
        '--attestation <file>',
        "check an attestation of 'escrow attest' in place of the ledger alone, offline",
      ).conflicts(['anchor', 'heads', 'join', 'yes', 'by']),
    )
    .option(
      '--key <file>',
      'with --attestation: a public key to trust, in PEM or OpenSSH form; may be repeated',
      collect,
      [],
    )
    .option('--allowed-signers <file>', 'with --attestation: keys to trust, in the form of `ssh-keygen -Y verify`')
    .option('--signer <name>', 'with --attestation: the principal, or name of a key file, that must have signed')
    .option('--threshold <number>', 'with --attestation: how many different signers are needed', parseThreshold, 1)
    .option('--revision <revision>', 'with --attestation: compare the files of this git commit, not the working tree')
    .action(async (options: Options & Omit<AttestationOptions, 'attestation'>) => {
      const { attestation, ...rest } = options
      if (attestation === undefined) return verify(context, options)
      const { verifyAttestation } = await import('../verify-attestation.js')
      return verifyAttestation(context, { ...rest, attestation })
    })
}

function parseThreshold(value: string): number {
  const number = Number(value)
  if (Number.isSafeInteger(number) && number > 0) return number
  throw new InvalidArgumentError('A number from 1 on is expected.')
}

async function verify(context: Context, options: Options): Promise<void> {
  const { io, withWorkspace, asReviewer, exit } = context
  const { anchor, heads, join, by } = options
  const expectedHeads = heads === undefined ? [] : await readHeads(heads)
  const open = join || anchor ? asReviewer : withWorkspace
  const result = await open(async (workspace) => {
    const { ledger } = workspace
    if (join && !(await isAccepted(context, ledger, options))) return undefined
    if (join && (await ledger.join(by)) !== undefined) await workspace.mapIntents()
    if (anchor) await ledger.anchor()
    const checked = await withProgress(io, 'Reading the ledger', () =>
      ledger.verify(...(expectedHeads.length > 0 ? [{ heads: expectedHeads }] : [])),
    )
    return checked.ok ? checked : { ...checked, ...(await unanchoredOf(ledger)) }
  })
  if (result === undefined) return exit(EXIT.refused)
  if (!result.ok) exit(EXIT.badLedger)
  const { line, reason } = result.firstBad ?? { line: 0, reason: 'the reason is unknown' }
  if (options.json) io.out(json(result))
  else if (result.ok) io.out(formatResult(context, result))
  else io.err(formatDamage(line, reason, result))
}

/** The unanchored ranges of a bad ledger. Empty if it is too damaged to read them. */
async function unanchoredOf(ledger: Ledger): Promise<Pick<VerifyResult, 'unanchored'>> {
  try {
    const { ranges } = await ledger.unanchored()
    return ranges.length > 0 ? { unanchored: ranges } : {}
  } catch {
    return {}
  }
}

function formatDamage(line: number, reason: string, { unanchored = [] }: VerifyResult): string {
  const question = `The ledger is damaged from line ${line} on: ${oneLine(reason).replace(/\.?$/, '.')} Nothing was changed.\n`
  return unanchored.length === 0
    ? question
    : `${question}Nothing on this machine anchors ${formatRecordNumbers(unanchored, NONE)}.\n`
}

/** Shows a person the records that this machine does not know, and asks whether to accept them. */
async function isAccepted({ io, colors }: Context, ledger: Ledger, { yes, json: asJson }: Options): Promise<boolean> {
  const unseen = await ledger.unanchored()
  if (unseen.count === 0 || yes) return true
  io.err(formatUnanchored(unseen, colors))
  if (io.ask === undefined || asJson) {
    const why = asJson ? "'--json' asks no question" : 'there is no terminal to ask for confirmation'
    io.err(`escrow: Nothing was accepted: ${why}. Add '--yes' to confirm.\n`)
    return false
  }
  const isYes = (await (await io.ask()).confirm('Accept these records?')) === true
  if (!isYes) io.err('Nothing was accepted.\n')
  return isYes
}

/** The number of approvers or sessions that are listed. */
const MAX_NAMES = 10

function formatUnanchored(
  { count, ranges, differs, approvers, sessions, first, last }: UnanchoredRecords,
  colors: Colors,
): string {
  const which = ranges.length === 0 ? 'of other tools' : formatRecordNumbers(ranges, NONE)
  const rows = [
    ['approved by', joinNames(approvers)],
    ['sessions', joinNames(sessions)],
    ['written', first === undefined ? '-' : first === last ? first : `${first} to ${last}`],
  ]
  const warning =
    differs === undefined
      ? ''
      : colors
          .yellow(
            `This machine knows another record ${differs}: the ledger was rewritten, or the branch was created elsewhere.`,
          )
          .concat('\n')
  return `${pluralize(count, 'line')} would be accepted: ${which}.\n${table(rows, '  ')}${warning}`
}

function joinNames(names: readonly string[]): string {
  const listed = names.slice(0, MAX_NAMES).map(oneLine)
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : []
  return [...listed, ...more].join(', ') || '-'
}

function formatResult({ colors }: Context, result: VerifyResult): string {
  const { anchored, unanchored = [], foreign = 0, absent } = result
  const warnings: string[] = []
  if (unanchored.length > 0 && anchored === undefined)
    warnings.push(
      `Nothing on this machine anchors ${formatRecordNumbers(unanchored, NONE)}: it has no record of this ledger. ${CHECK}`,
    )
  else if (unanchored.length > 0)
    warnings.push(
      `${capitalize(formatRecordNumbers(unanchored, WERE))} not written or accepted on this machine. ${CHECK}`,
    )
  if (foreign > 0)
    warnings.push(
      `${pluralize(foreign, 'line')} of other tools ${foreign === 1 ? 'was' : 'were'} not accepted on this machine.`,
    )
  if (absent !== undefined) {
    const which = formatRecordNumbers([{ from: absent.from, to: absent.seq }], NONE)
    const they = absent.from === absent.seq ? 'it is' : 'they are'
    warnings.push(
      `This machine also knows ${which} of this ledger; ${they} not in this file: another branch is checked out, or its end was cut off.`,
    )
  }
  const whole =
    result.records === 0
      ? 'The ledger has no records.'
      : `The ledger is intact: ${pluralize(result.records, 'record')}${formatAnchors(result)}.`
  return [whole, ...warnings.map(colors.yellow)].map((line) => `${line}\n`).join('')
}

const CHECK = "Check them, then 'escrow verify --join'."
const NONE = { one: '', more: '' }
const WERE = { one: ' was', more: ' were' }

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

async function readHeads(file: string): Promise<string[]> {
  const text = file === '-' ? await readStdin() : readFileSync(file, 'utf8')
  return text.split('\n').filter((line) => line.trim() !== '')
}

function formatAnchors({ anchored, signed = 0, unknownKeys = 0 }: VerifyResult): string {
  return [
    anchored === undefined ? '' : `, anchored up to number ${anchored}`,
    signed === 0 ? '' : `, ${pluralize(signed, 'checkpoint')} signed`,
    unknownKeys === 0 ? '' : `, ${pluralize(unknownKeys, 'checkpoint')} signed by keys not known here`,
  ].join('')
}
