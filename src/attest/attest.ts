import { realpathSync } from 'node:fs'
import { EscrowError } from '../core/api-error.js'
import { layoutAt } from '../os/workspace-state.js'
import { readVerified } from '../trace/verified.js'
import { CommitReader, type LedgerEnd, predicateOf, type ReadCommit } from './commit-reader.js'
import { type Envelope, sealStatement } from './dsse.js'
import type { Signer } from './signer.js'
import { type Statement, statementOf } from './statement.js'

export interface Attestation {
  /** The id of the commit. */
  readonly commit: string
  readonly statement: Statement
  readonly envelope: Envelope
}

export interface AttestOptions {
  /** The root of the workspace. */
  readonly root: string
  /** Ids of commits, or their numbers; `all`, or the newest one if there are none. */
  readonly commits: readonly string[] | 'all'
  readonly signers: readonly Signer[]
}

/**
 * Signs a statement about each commit, oldest first.
 * @throws EscrowError `ledger_corrupt` if the ledger has a fault, `ledger_unavailable` if this machine does not know a commit's records,
 * `nothing_selected` if there is no such commit
 */
export async function attestCommits({ root, commits, signers }: AttestOptions): Promise<Attestation[]> {
  const { reader, result } = await readVerified(layoutAt(realpathSync(root)), () => new CommitReader(() => true))
  const { head } = reader
  const selected = selectCommits([...reader.commits.values()], commits)
  if (head === undefined) throw noCommit('The ledger has no commit.')
  for (const commit of selected) assertKnown(commit, result.unanchored ?? [])
  const attestations: Attestation[] = []
  for (const commit of selected) attestations.push(await attest(commit, head, signers))
  return attestations
}

async function attest(commit: ReadCommit, head: LedgerEnd, signers: readonly Signer[]): Promise<Attestation> {
  const statement = statementOf(predicateOf(commit, head))
  return { commit: commit.id, statement, envelope: await sealStatement(statement, signers) }
}

function selectCommits(all: readonly ReadCommit[], wanted: AttestOptions['commits']): readonly ReadCommit[] {
  if (wanted === 'all') return all
  if (wanted.length === 0) {
    const newest = all.at(-1)
    if (newest === undefined) throw noCommit('The ledger has no commit.')
    return [newest]
  }
  const found = wanted.map((id) => {
    const [commit, ...others] = all.filter((each) => each.id === id || each.id.startsWith(`${id}-`))
    if (commit === undefined) throw noCommit(`The ledger has no commit '${id}'.`)
    if (others.length > 0) throw noCommit(`Several commits have the number '${id}'. Give the whole id.`)
    return commit
  })
  return all.filter((commit) => found.includes(commit))
}

/** A cloned ledger may be intact and invented: only this machine's anchors say that somebody here wrote or accepted it. */
function assertKnown(commit: ReadCommit, unanchored: readonly { readonly from: number; readonly to: number }[]): void {
  const numbers = [...commit.records.map(({ place }) => place), ...commit.verdicts.map(({ record }) => record)]
  const unknown = numbers.find(({ seq }) => unanchored.some(({ from, to }) => seq >= from && seq <= to))
  if (unknown === undefined) return
  const message = `Commit ${commit.id} is not attested: record ${unknown.seq} was not written or accepted on this machine.`
  throw new EscrowError('ledger_unavailable', message, { hint: "Check the records, then 'escrow verify --join'." })
}

function noCommit(message: string): EscrowError {
  return new EscrowError('nothing_selected', message, {
    hint: "'escrow log --kind commit' lists the commits with their ids.",
  })
}
