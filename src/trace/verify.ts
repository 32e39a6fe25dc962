import { codeOf } from '../../overlay/errno.js'
import type { VerifyResult } from '../core/api.js'
import type { Layout } from '../core/layout.js'
import type { withProcessLock } from '../host/lock.js'
import { EMPTY_TIP } from './chain.js'
import { unwritten } from './ledger-file.js'
import type { Published } from './published.js'
import { readChainAsync } from './scan.js'

/**
 * Checks the whole ledger: each line's form, the chain through all of them, and the newest lines against their copies
 * in `ledger.d/`. Names the first bad line.
 *
 * Without an anchor outside the workspace two things look like a sound ledger: one that was cut, or written anew from
 * some line on, together with its copies; and lines of other tools after the last record of ours, which nothing has
 * covered yet.
 */
export async function verifyLedger(
  layout: Layout,
  published: Published,
  lock: typeof withProcessLock,
): Promise<VerifyResult> {
  const result = await look(layout, published)
  if (result.ok) return result
  // What looks wrong may be an append in progress. Under the lock there is none.
  try {
    return await lock(layout.locks, 'ledger', () => look(layout, published))
  } catch (error) {
    if (READ_ONLY.has(codeOf(error) ?? '')) return result
    throw error
  }
}

const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM'])

async function look(layout: Layout, published: Published): Promise<VerifyResult> {
  const copies = published.hashes()
  const { tip, torn, fault } = await readChainAsync(layout.ledgerFile, EMPTY_TIP, copies)
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
  if (missing.length === 0) return { ok: true, records: tip.lines }
  return bad(next, `Line ${next} is missing: its copy is in ledger.d/. The next append repairs it and says so.`)
}
