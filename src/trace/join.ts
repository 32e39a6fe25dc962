import type { LedgerHead, Reviewer } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { type Anchors, anchorAt, anchored, headOfTip } from './anchors.js'
import { EMPTY_TIP, type Tip } from './chain.js'
import { newDraft } from './draft.js'
import { corrupt } from './faults.js'
import type { LedgerFile } from './ledger-file.js'
import { placeDraft } from './place.js'
import type { Published } from './published.js'
import { readChain } from './scan.js'
import type { Vcs } from './vcs.js'
import { witnessOf } from './witness.js'

export interface JoinDeps {
  readonly layout: Layout
  readonly file: LedgerFile
  readonly published: Published
  readonly anchors: Anchors
  readonly revision: Vcs | undefined
}

/**
 * Joins the branches of a ledger that git merged by a `merge` record that names their ends. To be called under the
 * ledger's lock. What was anchored here must be in one of them: else a person has to say first that it may be gone.
 * @returns the new head; undefined where nothing is open.
 */
export function joinBranches(deps: JoinDeps, by: Reviewer): LedgerHead | undefined {
  const { layout, file, published, anchors, revision } = deps
  const { tip, torn } = file.settleForked()
  if (tip.sides.length === 0) return undefined
  assertAnchored(layout, anchors)
  const draft = newDraft({
    ...{ type: 'merge', intent: null, session: null, reviewer: by },
    ...(torn && { data: { torn: { ...torn } } }),
  })
  const placed = placeDraft(draft, tip, revision)
  if (!published.publish(placed.tip.seq, placed.line) || !file.extend(tip, [placed], torn?.bytes)) {
    throw new EscrowError('ledger_unavailable', `${layout.ledgerFile} is being changed by another program.`, {
      hint: 'Try again.',
    })
  }
  keepAnchor(anchors, placed.tip)
  return headOfTip(placed.tip)
}

function assertAnchored(layout: Layout, anchors: Anchors): void {
  const witness = witnessOf(anchored(anchors), new Map())
  const { tip } = readChain(layout.ledgerFile, EMPTY_TIP, new Map(), witness.seen)
  const unmet = witness.missing(tip)
  if (unmet !== undefined) throw corrupt(`${layout.ledgerFile}: line ${unmet.line} ${unmet.problem}.`)
}

function keepAnchor(anchors: Anchors, tip: Tip): void {
  const anchor = anchorAt(tip, new Date().toISOString())
  if (anchor !== undefined) anchors.keep(anchor)
}
