import { codeOf } from '../../overlay/index.js'
import type { TraceRecord, VerifyResult } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { withProcessLock } from '../os/lock.js'
import type { Anchors } from './anchors.js'
import { EMPTY_TIP, type Tip } from './chain.js'
import { knownKeys } from './keys.js'
import { unwritten } from './ledger-file.js'
import type { Copies, Published } from './published.js'
import { forkIn, type Reading, readChainAsync } from './scan.js'
import { type Found, linkIn, Vouching } from './vouching.js'
import { type Expected, type Witness, witnessOf } from './witness.js'

/**
 * Checks the whole ledger: the format of each line, the chain, the newest lines against their copies in `ledger.d/`,
 * and all lines against the anchors of this machine. Reports the first bad line.
 * @param expected heads that were recorded elsewhere, which the ledger must contain
 * @param begin called before each reading; returns a function that gets each valid line
 */
export async function verifyLedger(
  ledger: VerifiedLedger,
  expected: readonly Expected[],
  begin: () => OnLine = () => ignore,
): Promise<VerifyResult> {
  const result = await check(ledger, expected, begin())
  if (result.ok) return result
  // A fault may be an append in progress. Under the lock there is none.
  try {
    return await ledger.lock(ledger.layout.locks, 'ledger', () => check(ledger, expected, begin()))
  } catch (error) {
    if (READ_ONLY.has(codeOf(error) ?? '')) return result
    throw error
  }
}

/** Gets a valid line, with the tip after it and its bytes without the LF, which are valid during the call. */
export type OnLine = (record: TraceRecord, tip: Tip, bytes: Buffer) => void

function ignore(): void {}

export interface VerifiedLedger {
  readonly layout: Layout
  readonly published: Published
  readonly anchors: Anchors
  readonly lock: typeof withProcessLock
}

/** The fields that have something to report. */
function anchorFields(found: Found, { signed, unknownKeys }: Witness): Partial<VerifyResult> {
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

async function check(
  { layout, published, anchors }: VerifiedLedger,
  expected: readonly Expected[],
  onLine: OnLine,
): Promise<VerifyResult> {
  const copies = published.hashes()
  const witness = witnessOf(expected, knownKeys())
  const vouching = new Vouching(layout.ledgerFile, anchors, copies)
  const {
    tip,
    torn,
    fault: found,
  } = await readChainAsync(layout.ledgerFile, EMPTY_TIP, copies, (record, at, bytes) => {
    onLine(record, at, bytes)
    if (at.hash !== null) vouching.read(at.lines, at.hash, () => linkIn(record), numberOf(at))
    return witness.onRecord(record, at)
  })
  const missing = witness.missingLine(tip)
  const problems = [
    found ?? forkIn(tip),
    found === null ? unfinishedLine(published, { tip, torn }, copies) : null,
    missing && { line: missing.line, reason: `Line ${missing.line} ${missing.problem}.` },
    vouching.problem(tip.lines),
  ].filter((problem) => problem !== null && problem !== undefined)
  const [first] = problems.toSorted((a, b) => a.line - b.line)
  if (first === undefined) return { ok: true, records: tip.lines, ...anchorFields(vouching.result(), witness) }
  return { ok: false, records: tip.lines, firstBad: { line: first.line, reason: first.reason } }
}

/** The number of the record that a tip ends with; undefined for a line of another tool. */
function numberOf({ own, hash, seq }: Tip): number | undefined {
  return own?.hash === hash ? seq : undefined
}

/** The fault of a last line that was cut off, or of published records that are missing from the file. */
function unfinishedLine(published: Published, { tip, torn }: Pick<Reading, 'tip' | 'torn'>, copies: Copies) {
  const line = tip.lines + 1
  if (torn !== null) return { line, reason: `Line ${line} is cut off. The next append repairs it and says so.` }
  const missing = unwritten(published, tip, copies)
  if ('problem' in missing) return { line, reason: missing.problem }
  if (missing.length === 0) return null
  return { line, reason: `Line ${line} is missing: its copy is in ledger.d. The next append repairs it and says so.` }
}
