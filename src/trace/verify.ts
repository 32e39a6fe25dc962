import { codeOf } from '../../overlay/index.js'
import type { VerifyResult } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { withProcessLock } from '../host/lock.js'
import type { Anchors } from './anchors.js'
import { EMPTY_TIP } from './chain.js'
import { knownKeys } from './keys.js'
import { unwritten } from './ledger-file.js'
import type { Copies, Published } from './published.js'
import { forkIn, type Reading, readChainAsync } from './scan.js'
import { type Found, linkIn, Vouching } from './vouching.js'
import { type Expected, type Witness, witnessOf } from './witness.js'

/**
 * Checks the whole ledger: each line's form, the chain through all of them, the newest lines against their copies in
 * `ledger.d/`, and all of them against the records this machine knows. Names the first bad line.
 * @param given heads that were noted elsewhere.
 */
export async function verifyLedger(ledger: Verified, given: readonly Expected[]): Promise<VerifyResult> {
  const result = await look(ledger, given)
  if (result.ok) return result
  // What looks wrong may be an append in progress. Under the lock there is none.
  try {
    return await ledger.lock(ledger.layout.locks, 'ledger', () => look(ledger, given))
  } catch (error) {
    if (READ_ONLY.has(codeOf(error) ?? '')) return result
    throw error
  }
}

export interface Verified {
  readonly layout: Layout
  readonly published: Published
  readonly anchors: Anchors
  readonly lock: typeof withProcessLock
}

/** Said only where there is something to say. */
function vouchers(found: Found, { signed, unknownKeys }: Witness): Partial<VerifyResult> {
  const { anchored, ranges, foreign, absent } = found
  return {
    ...(anchored > 0 && { anchored }),
    ...(ranges.length > 0 && { unanchored: ranges }),
    ...(foreign > 0 && { foreign }),
    ...defined({ absent }),
    ...(signed > 0 && { signed }),
    ...(unknownKeys > 0 && { unknownKeys }),
  }
}

const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM'])

async function look({ layout, published, anchors }: Verified, given: readonly Expected[]): Promise<VerifyResult> {
  const copies = published.hashes()
  const witness = witnessOf(given, knownKeys())
  const vouching = new Vouching(layout.ledgerFile, anchors, copies)
  const {
    tip,
    torn,
    fault: found,
  } = await readChainAsync(layout.ledgerFile, EMPTY_TIP, copies, (record, at) => {
    if (at.hash !== null) vouching.take(at.lines, at.hash, () => linkIn(record))
    return witness.onRecord(record, at)
  })
  const unmet = witness.missingLine(tip)
  const problems = [
    found ?? forkIn(tip),
    found === null ? unfinishedLine(published, { tip, torn }, copies) : null,
    unmet && { line: unmet.line, reason: `Line ${unmet.line} ${unmet.problem}.` },
    vouching.problem(tip.lines),
  ].filter((problem) => problem !== null && problem !== undefined)
  const [first] = problems.toSorted((a, b) => a.line - b.line)
  if (first === undefined) return { ok: true, records: tip.lines, ...vouchers(vouching.result(), witness) }
  return { ok: false, records: tip.lines, firstBad: { line: first.line, reason: first.reason } }
}

/** A last line that was cut off, or records that were published and are not in the file. */
function unfinishedLine(published: Published, { tip, torn }: Pick<Reading, 'tip' | 'torn'>, copies: Copies) {
  const line = tip.lines + 1
  if (torn !== null) return { line, reason: `Line ${line} is cut off. The next append repairs it and says so.` }
  const missing = unwritten(published, tip, copies)
  if ('problem' in missing) return { line, reason: missing.problem }
  if (missing.length === 0) return null
  return { line, reason: `Line ${line} is missing: its copy is in ledger.d. The next append repairs it and says so.` }
}
