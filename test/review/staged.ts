import type { FileState, StagedChange, StagedKind } from '../../overlay/change.js'
import { digest } from '../../overlay/digest.js'
import type { RelPath } from '../../overlay/path.js'

/** A file's state by its content. */
export function file(content: string, mode = 0o644): FileState {
  return { type: 'file', digest: digest(content), mode }
}

/** A staged change of text files, as the overlay would report it. null = absent. */
export function newStagedChange(
  path: string,
  before: string | null,
  after: string | null,
  more: Partial<StagedChange> = {},
) {
  const kind: StagedKind = before === null ? 'create' : after === null ? 'delete' : 'modify'
  const change: StagedChange = {
    path: path as RelPath,
    kind,
    before: before === null ? null : file(before),
    after: after === null ? null : file(after),
    drifted: false,
    calls: [],
    content: () => Buffer.from(after ?? ''),
    ...more,
  }
  return change
}
