import { isDeepStrictEqual } from 'node:util'
import { readSmall } from '../os/read.js'
import { checkAgainstLedger } from './check-ledger.js'
import { openEnvelope, PAYLOAD_TYPE } from './dsse.js'
import type { AttestationReport, Problem } from './report.js'
import {
  type AttestedChange,
  PREDICATE_TYPE,
  type Predicate,
  STATEMENT_TYPE,
  type Statement,
  statement,
  statementOf,
} from './statement.js'
import type { Files } from './subjects.js'
import type { TrustedKeys } from './trusted-keys.js'

export interface CheckOptions {
  readonly file: string
  readonly trusted: TrustedKeys
  /** How many different signers must have signed. */
  readonly threshold: number
  /** A name that one of the signers must have. */
  readonly signer?: string | undefined
  readonly files: Files
  /** The root of the workspace, whose ledger is compared if it has one. */
  readonly root?: string | undefined
}

const MAX_BYTES = 64 * 1024 * 1024

/**
 * Checks an attestation, offline. Without enough signatures of trusted keys nothing else in it is read.
 * @throws EscrowError `unsupported` for a file that is not an envelope
 */
export async function checkAttestation(options: CheckOptions): Promise<AttestationReport> {
  const { file, trusted, files, root } = options
  const opened = openEnvelope(readSmall(file, MAX_BYTES), trusted)
  const signedBy = opened.signedBy.map((key) => ({ key, names: trusted.get(key)?.names ?? [] }))
  const signatures = { signedBy, unconfirmed: opened.unconfirmed }
  const unsigned = signatureProblems(signatures, options)
  if (unsigned.length > 0) return { ok: false, problems: unsigned, ...signatures }
  const read = readStatement(opened.payloadType, opened.payload)
  if ('problem' in read) return { ok: false, problems: [{ check: 'statement', message: read.problem }], ...signatures }
  const { predicate } = read
  const changed = subjectProblems(predicate, files)
  const { state, problems: inLedger } = await checkAgainstLedger(predicate, root)
  const problems = [...changed, ...inLedger]
  const compared = predicate.changes.length
  return {
    ok: problems.length === 0,
    problems,
    ...signatures,
    files: { compared, where: files.where },
    ledger: state,
    predicate,
  }
}

function signatureProblems(
  { signedBy, unconfirmed }: Pick<AttestationReport, 'signedBy' | 'unconfirmed'>,
  { threshold, signer }: CheckOptions,
): Problem[] {
  const by = (message: string): Problem => ({ check: 'signature', message })
  const stated = unconfirmed.filter((id) => id !== '').join(', ') || 'not stated'
  if (signedBy.length === 0)
    return [
      by(
        `No trusted key confirms a signature: it was signed by another key, or changed since. The key ids are ${stated}.`,
      ),
    ]
  const signers = countSigners(signedBy.map(({ names }) => names))
  if (signers < threshold)
    return [by(`${threshold} signers are needed, and trusted keys of ${signers} confirm their signatures.`)]
  if (signer !== undefined && !signedBy.some(({ names }) => names.includes(signer)))
    return [by(`${signer} has not signed it. Signed by: ${signedBy.flatMap(({ names }) => names).join(', ')}.`)]
  return []
}

/** Keys that share a name are one signer's. */
function countSigners(keys: readonly (readonly string[])[]): number {
  const groups: Set<string>[] = []
  for (const names of keys) {
    const joined = groups.filter((group) => names.some((name) => group.has(name)))
    for (const group of joined) groups.splice(groups.indexOf(group), 1)
    groups.push(new Set([...names, ...joined.flatMap((group) => [...group])]))
  }
  return groups.length
}

function readStatement(payloadType: string, payload: Buffer): Statement | { readonly problem: string } {
  if (payloadType !== PAYLOAD_TYPE) return { problem: `Its payload is '${payloadType}', not ${PAYLOAD_TYPE}.` }
  let value: unknown
  try {
    value = JSON.parse(payload.toString())
  } catch {
    return { problem: 'Its payload is not JSON.' }
  }
  const parsed = statement.safeParse(value)
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'its type'
    return { problem: `It is not a statement of ${STATEMENT_TYPE} about ${PREDICATE_TYPE}: ${field} does not fit.` }
  }
  if (isDeepStrictEqual(statementOf(parsed.data.predicate).subject, parsed.data.subject)) return parsed.data
  return { problem: 'Its subjects are not the files that its predicate names.' }
}

function subjectProblems({ changes, deleted }: Predicate, files: Files): Problem[] {
  const gone = deleted.filter((path) => !changes.some((change) => change.path === path && change.after !== null))
  const left = gone.flatMap((path) => (files.find(path) === undefined ? [] : [there(path, files)]))
  return [...changes.flatMap((change) => differenceOf(change, files)), ...left]
}

function differenceOf({ path, after, type }: AttestedChange, files: Files): Problem[] {
  if (after === null) return []
  const found = files.find(path)
  const by = (message: string): Problem[] => [{ check: 'subject', path, message }]
  if (found === undefined) return by(`${path} is missing ${files.where}.`)
  if (found.type === 'submodule' || (type !== undefined && found.type !== type))
    return by(`${path} ${files.where} is ${TYPES[found.type]}, and the attested one ${TYPES[type ?? 'file']}.`)
  return found.digest === after
    ? []
    : by(`${path} ${files.where} has ${found.digest}, and the attested content ${after}.`)
}

const TYPES = { file: 'a file', dir: 'a directory', symlink: 'a symbolic link', submodule: 'a submodule' } as const

function there(path: string, { where }: Files): Problem {
  return { check: 'subject', path, message: `${path} is there ${where}, and the commit deleted or moved it.` }
}
