import type { LedgerHead } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { Reviewer } from '../core/people.js'
import type { LedgerEntry } from './anchor-lines.js'
import { type Anchors, headOfTip } from './anchors.js'
import type { Tip } from './chain.js'
import { newDraft } from './draft.js'
import { corrupt } from './faults.js'
import type { LedgerParts } from './parts.js'
import { placeDraft } from './place.js'
import { writeOrWithdraw } from './published.js'
import { unvouchedLines, Vouching } from './vouching.js'

/**
 * Accepts all records of a ledger, and joins its branches by a `merge` record that names their ends. Requires the
 * ledger's lock.
 * @returns the new head; undefined if no branch is open
 * @throws EscrowError `ledger_corrupt` if a record that this branch had is missing: a person first has to accept its
 * loss by {@link anchorAll}
 */
export function joinBranches(
  { layout, file, published, anchors, vcs }: LedgerParts,
  by: Reviewer,
): LedgerHead | undefined {
  const { tip, torn } = file.readForked()
  const vouching = new Vouching(layout.ledgerFile, anchors, published.hashes())
  const unvouched = collectUnvouched(layout, vouching)
  const lost = vouching.missingLine(tip.lines)
  if (lost !== undefined) throw corrupt(`${layout.ledgerFile}: ${lost.reason}`)
  for (const [ledger, entries] of unvouched) anchors.keep(ledger, entries)
  if (tip.sides.length === 0) return undefined
  const data = torn && { torn: { ...torn } }
  const draft = newDraft({ type: 'merge', intent: null, session: null, reviewer: by, ...defined({ data }) })
  const placed = placeDraft(draft, tip, vcs())
  const isWritten =
    published.publish(placed.tip.seq, tip.hash, placed.line) &&
    writeOrWithdraw(published, tip.hash, [placed], () => file.extend(tip, [placed], torn?.bytes))
  if (!isWritten) {
    throw new EscrowError('ledger_unavailable', `${layout.ledgerFile} is being changed by another program.`, {
      hint: 'Try again.',
    })
  }
  return headOfTip(placed.tip)
}

/**
 * Anchors a whole ledger, and replaces its earlier anchors. Requires the ledger's lock, and its tip. The ends of open branches
 * must be there from then on, until they are joined.
 */
export function anchorAll(layout: Layout, anchors: Anchors, tip: Tip): LedgerHead | undefined {
  const head = headOfTip(tip)
  if (head === undefined) return undefined
  const unvouched = collectUnvouched(layout, new Vouching(layout.ledgerFile, anchors, new Map()))
  for (const { ledger, seq, own } of [...tip.sides, tip]) {
    if (ledger === null || own === null) continue
    const entries = unvouched.get(ledger) ?? []
    if (!entries.some(({ hash }) => hash === own.hash)) entries.push({ seq, hash: own.hash })
    unvouched.set(ledger, entries)
  }
  for (const [each, entries] of unvouched) anchors.restart(each, entries)
  return head
}

/** Records by their ledger: ledgers that were begun apart can be joined. */
type Unvouched = Map<string, LedgerEntry[]>

function collectUnvouched({ ledgerFile }: Layout, vouching: Vouching): Unvouched {
  const unvouched: Unvouched = new Map()
  for (const { ledger, entry } of unvouchedLines(ledgerFile, vouching)) {
    const entries = unvouched.get(ledger)
    if (entries === undefined) unvouched.set(ledger, [entry])
    else entries.push(entry)
  }
  return unvouched
}
