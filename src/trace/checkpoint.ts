import type { Tip } from './chain.js'
import { newDraft } from './draft.js'
import type { RecordDraft } from './draft-schema.js'
import { signHead } from './keys.js'

/** A record that signs the record before it; undefined if this user has no key. */
export function checkpointOf({ own, ledger, seq }: Tip): RecordDraft | undefined {
  if (own === null || ledger === null) return undefined
  const signed = signHead({ ledger, seq, hash: own.hash })
  if (signed === undefined) return undefined
  const data = { signed_seq: seq, signed_hash: own.hash, ...signed }
  return newDraft({ type: 'checkpoint', intent: null, session: null, data })
}
