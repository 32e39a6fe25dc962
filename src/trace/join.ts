import type { LedgerHead } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import type { Reviewer } from '../core/people.js'
import type { LedgerEntry } from './anchor-lines.js'
import { type Anchors, headOfTip } from './anchors.js'
import type { Tip } from './chain.js'
import { newDraft } from './draft.js'
import { corrupt } from './faults.js'
import type { LedgerFile } from './ledger-file.js'
import { placeDraft } from './place.js'
import type { Published } from './published.js'
import type { Vcs } from './vcs.js'
import { unvouchedLines, Vouching } from './vouching.js'

export interface JoinDeps {
  readonly layout: Layout
  readonly file: LedgerFile
  readonly published: Published
  readonly anchors: Anchors
  readonly revision: Vcs | undefined
}

/**
 * Accepts all records of a ledger, and joins its branches by a `merge` record that names their ends. To be called under the
 * ledger's lock. A record that this branch had must still be there: else a person has to say first that it may be gone.
 * @returns the new head; undefined where no branch is open.
 */
export function joinBranches(deps: JoinDeps, by: Reviewer): LedgerHead | undefined {
  const { layout, file, published, anchors, revision } = deps
  const { tip, torn } = file.settleForked()
  const vouching = new Vouching(layout.ledgerFile, anchors, published.hashes())
  const unseen = collectUnseen(layout, vouching)
  const lost = vouching.missingLine(tip.lines)
  if (lost !== undefined) throw corrupt(`${layout.ledgerFile}: ${lost.reason}`)
  for (const [ledger, entries] of unseen) anchors.keep(ledger, entries)
  if (tip.sides.length === 0) return undefined
  const draft = newDraft({
    type: 'merge',
    intent: null,
    session: null,
    reviewer: by,
    ...(torn && { data: { torn: { ...torn } } }),
  })
  const placed = placeDraft(draft, tip, revision)
  if (!published.publish(placed.tip.seq, tip.hash, placed.line) || !file.extend(tip, [placed], torn?.bytes)) {
    throw new EscrowError('ledger_unavailable', `${layout.ledgerFile} is being changed by another program.`, {
      hint: 'Try again.',
    })
  }
  return headOfTip(placed.tip)
}

/** Anchors a whole ledger, whatever was anchored before. To be called under the ledger's lock, with the ledger's tip. */
export function anchorAll(layout: Layout, anchors: Anchors, tip: Tip): LedgerHead | undefined {
  const head = headOfTip(tip)
  if (head === undefined) return undefined
  const unseen = collectUnseen(layout, new Vouching(layout.ledgerFile, anchors, new Map()))
  const { ledger, seq, hash } = head
  const newest = unseen.get(ledger) ?? []
  if (!newest.some((entry) => entry.hash === hash)) newest.push({ seq, hash })
  unseen.set(ledger, newest)
  for (const [each, entries] of unseen) anchors.restart(each, entries)
  return head
}

/** By their ledger: two that were begun apart can be joined. */
type Unseen = Map<string, LedgerEntry[]>

function collectUnseen({ ledgerFile }: Layout, vouching: Vouching): Unseen {
  const unseen: Unseen = new Map()
  for (const { ledger, entry } of unvouchedLines(ledgerFile, vouching)) {
    const entries = unseen.get(ledger)
    if (entries === undefined) unseen.set(ledger, [entry])
    else entries.push(entry)
  }
  return unseen
}
