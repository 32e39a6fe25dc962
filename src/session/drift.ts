import { diffStage, type RelPath, sameContent, stateNow } from '../../overlay/index.js'
import type { Reviewer } from '../core/people.js'
import type { View } from '../fs/index.js'
import { mergeMoved, type ReviewLog } from '../review/index.js'
import { beforeOf, diskNow, type StageStore } from '../stage/index.js'

export interface DriftDeps {
  readonly view: View
  readonly store: StageStore
  readonly reviews: ReviewLog
  /** Whose reading it is. */
  readonly by: Reviewer
}

/**
 * Files a read tool is going to show, where the disk has moved on below what is staged: both are merged first, so that
 * the model goes on from what is there now. It is the merge of a review, taken in like one. Answers with what was merged.
 */
export async function mergeDrifted(deps: DriftDeps, paths: readonly string[]): Promise<RelPath[]> {
  const { store, reviews, by } = deps
  const drifted = new Set(paths.flatMap((path) => driftAt(deps, path) ?? []))
  if (drifted.size === 0) return []
  const amending = {
    log: reviews,
    contents: () => store.contents,
    settledSeq: () => store.overlay.stage.settledSeq,
    before: (change: Parameters<typeof beforeOf>[1]) => beforeOf(store, change),
    disk: (change: Parameters<typeof diskNow>[1]) => diskNow(store, change),
  }
  const changes = diffStage(store.overlay).changes.filter((each) => each.drifted && drifted.has(each.path as RelPath))
  for (const change of changes) await mergeMoved(amending, change, by, { reading: true })
  return changes.map(({ path }) => path as RelPath)
}

/** The place of a staged file whose base the disk no longer holds; undefined for a file that may not be read. */
function driftAt({ view, store: { overlay } }: DriftDeps, asked: string): RelPath | undefined {
  const path = readable(view, asked)
  const inode = path === undefined ? undefined : overlay.placeOf(path).node?.inode
  if (path === undefined || inode?.type !== 'file') return undefined
  const names = [path, ...(inode.origin === undefined ? [] : [inode.origin as RelPath])]
  const moved = names.some((name) => {
    const base = overlay.stage.bases.get(name)
    return base !== undefined && !sameContent(base.state, stateNow(overlay.lower, name, base))
  })
  return moved ? path : undefined
}

function readable(view: View, asked: string): RelPath | undefined {
  try {
    return view.within(() => {
      const place = view.at(asked, 'follow')
      return place.inside && view.mayRead(place.path, place.asked) ? place.path : undefined
    })
  } catch {
    // The tool comes upon it itself, and is told as Node tells it.
    return undefined
  }
}
