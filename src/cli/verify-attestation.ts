import { resolve } from 'node:path'
import type { AttestationReport } from '../attest/index.js'
import { defined } from '../core/defined.js'
import { rootOf } from '../index.js'
import { type Context, EXIT } from './context.js'
import { json, pluralize } from './output.js'
import { oneLine } from './printable.js'

export interface AttestationOptions {
  readonly attestation: string
  readonly key: readonly string[]
  readonly allowedSigners?: string
  readonly signer?: string
  readonly threshold: number
  readonly revision?: string
  readonly json?: true
}

/** `escrow verify --attestation FILE`. Needs no workspace, and changes nothing. */
export async function verifyAttestation(context: Context, options: AttestationOptions): Promise<void> {
  const { io, directory, exit } = context
  const { checkAttestation, filesBelow, filesIn, readTrustedKeys } = await import('../attest/index.js')
  const cwd = directory()
  const root = rootOf(cwd)
  const { attestation, key, allowedSigners, signer, threshold, revision } = options
  const trusted = readTrustedKeys({
    keys: key.map((file) => resolve(cwd, file)),
    ...defined({ allowedSigners: allowedSigners && resolve(cwd, allowedSigners) }),
  })
  const files = revision === undefined ? filesBelow(root ?? cwd) : filesIn(root ?? cwd, revision)
  const file = resolve(cwd, attestation)
  const report = await checkAttestation({ file, trusted, threshold, files, ...defined({ signer, root }) })
  if (!report.ok) exit(report.ledger === 'damaged' ? EXIT.badLedger : EXIT.refused)
  if (options.json) io.out(json(report))
  else if (report.ok) io.out(summaryOf(report))
  else io.err(problemsOf(report))
}

function summaryOf({ predicate, signedBy, files, ledger, unconfirmed }: AttestationReport): string {
  const names = signedBy.map(({ key, names }) => (names.includes(key) ? key : `${names.join(', ')} (${key})`))
  const approvers = predicate?.approvedBy.join(', ') || 'nobody'
  const lines = [
    `The attestation of commit ${predicate?.commit} is valid: signed by ${names.join('; ')}.`,
    `Approved by ${approvers}, for ${predicate?.intents.join(', ') || 'no intent'}. ${pluralize(files?.compared ?? 0, 'file')} compared ${files?.where}.`,
    ledger === 'absent' ? 'There is no ledger here to compare it with.' : 'The ledger here contains what it names.',
    ...(unconfirmed.length > 0
      ? [`${pluralize(unconfirmed.length, 'signature')} of keys that are not trusted here.`]
      : []),
  ]
  return lines.map((line) => `${oneLine(line)}\n`).join('')
}

/** The limit of problems that are printed. */
const SHOWN = 20

function problemsOf({ problems }: AttestationReport): string {
  const listed = problems.slice(0, SHOWN).map(({ check, message }) => `${check}: ${oneLine(message)}\n`)
  const more = problems.length > SHOWN ? [`and ${problems.length - SHOWN} more\n`] : []
  return ['The attestation is not valid.\n', ...listed, ...more].join('')
}
