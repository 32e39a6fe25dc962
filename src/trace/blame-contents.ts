import type { BlameLine } from '../core/api.js'
import type { SharedFile } from '../core/layout.js'
import type { PathContent } from './blame.js'

/** As `blameContents` of `blame.ts`, which loads on first use: few commands attribute lines. */
export async function blameContents(
  file: SharedFile,
  contents: readonly PathContent[],
): Promise<ReadonlyMap<string, readonly BlameLine[]>> {
  const { blameContents: blame } = await import('./blame.js')
  return blame(file, contents)
}
