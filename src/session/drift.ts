import { diffStage, type RelPath, sameContent, stateNow } from '../../overlay/index.js'
import type { Reviewer } from '../core/people.js'
import type { View } from '../fs/index.js'
import { type ReviewLog, StageAmender } from '../review/index.js'
import { beforeOf, diskNow, type StageStore } from '../stage/index.js'

/**
 * Merges staged files with the disk if it has changed below them, before a read tool shows them, so that the model
 * works on current content. The review log records the merge as it does a reviewer's.
 * @param by the agent that reads
 * @returns the merged paths
 */
export async function mergeDrifted(
  view: View,
  store: StageStore,
  reviews: ReviewLog,
  by: Reviewer,
  paths: readonly string[],
): Promise<RelPath[]> {
  const drifted = new Set(paths.flatMap((path) => driftedPath(view, store, path) ?? []))
  if (drifted.size === 0) return []
  const amender = new StageAmender(reviews, {
    contents: () => store.contents,
    settledSeq: () => store.overlay.stage.settledSeq,
    before: (change) => beforeOf(store, change),
    disk: (change) => diskNow(store, change),
  })
  const changes = diffStage(store.overlay).changes.filter((each) => each.drifted && drifted.has(each.path as RelPath))
  for (const change of changes) await amender.mergeWithDisk(change, by, { reading: true })
  return changes.map(({ path }) => path as RelPath)
}

/** The physical path of a staged file whose base is no longer on disk; undefined for a file that may not be read. */
function driftedPath(view: View, { overlay }: StageStore, asked: string): RelPath | undefined {
  const path = readablePath(view, asked)
  const inode = path === undefined ? undefined : overlay.placeOf(path).node?.inode
  if (path === undefined || inode?.type !== 'file') return undefined
  const names = [path, ...(inode.origin === undefined ? [] : [inode.origin as RelPath])]
  const hasChanged = names.some((name) => {
    const base = overlay.stage.bases.get(name)
    return base !== undefined && !sameContent(base.state, stateNow(overlay.lower, name, base))
  })
  return hasChanged ? path : undefined
}

function readablePath(view: View, asked: string): RelPath | undefined {
  try {
    return view.within(() => {
      const place = view.at(asked, 'follow')
      return place.inside && view.mayRead(place.path, place.asked) ? place.path : undefined
    })
  } catch {
    // The tool's own read gets Node's error.
    return undefined
  }
}
