import type { Layout } from '../core/layout.js'
import { AnchorQueue } from './anchor-queue.js'
import { type Anchors, openAnchors } from './anchors.js'
import { LedgerFile } from './ledger-file.js'
import { withOldAnchors } from './old-anchors.js'
import { openPublished, type Published } from './published.js'
import { openBranch, openVcs, type Vcs } from './vcs.js'

/** The parts of one open ledger, in the order they depend on each other. Making them reads and writes nothing. */
export interface LedgerParts {
  readonly layout: Layout
  /** The revision at HEAD now. */
  readonly vcs: () => Vcs | undefined
  /** The branch that is checked out now. */
  readonly branch: () => string | undefined
  readonly anchors: Anchors
  readonly published: Published
  readonly anchorQueue: AnchorQueue
  readonly file: LedgerFile
}

export function makeParts(layout: Layout): LedgerParts {
  const vcs = openVcs(layout.root)
  const branch = openBranch(layout.root)
  const anchors = withOldAnchors(layout, openAnchors(layout, branch))
  const published = openPublished(layout.ledgerDir, branch)
  const anchorQueue = new AnchorQueue(anchors, published)
  const file = new LedgerFile({ layout, published, vcs, anchorQueue })
  return { layout, vcs, branch, anchors, published, anchorQueue, file }
}
