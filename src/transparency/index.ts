/**
 * The ledger as a transparency log: an RFC 6962 tree over its lines, in static files that anyone can serve and check.
 *
 * In: the verified ledger, and the key of `escrow keys`. Out: tiles, entries and signed checkpoints (C2SP tlog-tiles), proofs, cosignatures of
 * witnesses, and what a check of a proof found.
 * Must not happen here: a change of the ledger, a signature over a tree that contradicts one that this machine signed before.
 */

export { checkProof, type ProofReport } from './check-proof.js'
export { MAX_PROOF_BYTES } from './proof.js'
export { proveConsistency, proveInclusion } from './prove.js'
export { type PublishedLog, publishLedger } from './publish.js'
export { publishLines } from './publish-lines.js'
export { type Witnessed, witnessLog } from './witness.js'
