import { codeOf } from '../../overlay/errno.js'
import type { VerifyResult } from '../core/api.js'
import type { Layout } from '../core/layout.js'
import type { withProcessLock } from '../host/lock.js'
import { EMPTY_TIP } from './chain.js'
import { knownKeys } from './keys.js'
import { unwritten } from './ledger-file.js'
import type { Published } from './published.js'
import { forkIn, readChainAsync } from './scan.js'
import { type Expected, type Witness, witnessOf } from './witness.js'

/**
 * Checks the whole ledger: each line's form, the chain through all of them, and the newest lines against their copies
 * in `ledger.d/`. Names the first bad line.
 *
 * What is known from outside the workspace is held against it: anchors and given heads tell of a ledger that was cut, or
 * written anew from some line on, together with its copies. Two things look sound: records after the newest anchor that
 * were cut or rewritten so, and lines of other tools after the last record of ours, which nothing has covered yet.
 * @param outside asked again for each look: an anchor may be written meanwhile
 */
export async function verifyLedger(
  layout: Layout,
  published: Published,
  lock: typeof withProcessLock,
  outside: Outside,
): Promise<VerifyResult> {
  const result = await look(layout, published, outside())
  if (result.ok) return result
  // What looks wrong may be an append in progress. Under the lock there is none.
  try {
    return await lock(layout.locks, 'ledger', () => look(layout, published, outside()))
  } catch (error) {
    if (READ_ONLY.has(codeOf(error) ?? '')) return result
    throw error
  }
}

type Outside = () => readonly Expected[]

/** Said only where there is something to say. */
function vouchers(expected: readonly Expected[], { signed, unknownKeys }: Witness): Partial<VerifyResult> {
  const anchored = Math.max(0, ...expected.map(({ seq }) => seq))
  return {
    ...(anchored > 0 && { anchored }),
    ...(signed > 0 && { signed }),
    ...(unknownKeys > 0 && { unknownKeys }),
  }
}

const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM'])

async function look(layout: Layout, published: Published, expected: readonly Expected[]): Promise<VerifyResult> {
  const copies = published.hashes()
  const witness = witnessOf(expected, knownKeys())
  const { tip, torn, fault: found } = await readChainAsync(layout.ledgerFile, EMPTY_TIP, copies, witness.seen)
  const fault = found ?? forkIn(tip)
  const bad = (line: number, reason: string): VerifyResult => ({
    ok: false,
    records: tip.lines,
    firstBad: { line, reason },
  })
  if (fault !== null) return bad(fault.line, fault.reason)
  const next = tip.lines + 1
  if (torn !== null) return bad(next, `Line ${next} is cut off. The next append repairs it and says so.`)
  const missing = unwritten(published, tip, copies)
  if ('problem' in missing) return bad(next, missing.problem)
  const unmet = witness.missing(tip)
  if (missing.length === 0 && unmet !== undefined) return bad(unmet.line, `Line ${unmet.line} ${unmet.problem}.`)
  if (missing.length === 0) return { ok: true, records: tip.lines, ...vouchers(expected, witness) }
  return bad(next, `Line ${next} is missing: its copy is in ledger.d/. The next append repairs it and says so.`)
}
