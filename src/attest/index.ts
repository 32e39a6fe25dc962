/**
 * Attestations: signed statements about commits, which anyone can check offline.
 *
 * In: the verified ledger, and keys that people have: of `escrow keys`, of OpenSSH and its agent, in PEM. Out: in-toto statements in
 * DSSE envelopes, and what a check of one found.
 * Must not happen here: a statement about a ledger that was not checked, a verdict on an envelope by a key that nobody named as
 * trusted, a write.
 */

export { type Attestation, attestCommits } from './attest.js'
export { checkAttestation } from './check.js'
export type { AttestationReport } from './report.js'
export { openSigner } from './signer.js'
export { filesBelow, filesIn } from './subjects.js'
export { readTrustedKeys } from './trusted-keys.js'
