import {
  asRelPath,
  type Digest,
  fileStamp,
  isWithin,
  type Overlay,
  type RelPath,
  redirects,
  sameContent,
  stateNow,
} from '../../overlay/index.js'
import type { ToolContext } from '../core/tool-context.js'
import type { BaseState } from '../policy/index.js'
import type { SeenFiles } from './seen-files.js'

/** A larger file gets no base from an open alone: digesting 1 MiB takes about half a millisecond. */
const LARGE = 1 << 20

/**
 * The content lock: a write must be based on the current content of the disk. The base is what the model last saw, by a
 * read tool or by a read outside any tool; an absent file counts too. A read by an edit tool itself does not move the
 * base, because that would hide every edit that somebody else made meanwhile.
 */
export class ContentLock {
  constructor(
    private readonly overlay: Overlay,
    private readonly files: SeenFiles,
    private readonly tool: () => ToolContext | undefined,
  ) {}

  /**
   * Records a read.
   * @param content undefined if there was no file; a string is the whole content as valid UTF-8
   * @param known the content's digest, if the caller has it
   */
  saw(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void {
    const kind = this.tool()?.kind
    if (kind !== undefined && kind !== 'read') return
    const { node, lower } = this.overlay.placeOf(path)
    if (!node?.inode) this.files.record(lower ?? path, content, known)
  }

  /** Records an open for reading: the current content becomes the base, unless the file is large. */
  onOpen(path: RelPath): void {
    const { node, lower } = this.overlay.shownAt(path)
    const stats = node?.inode || lower === undefined ? undefined : this.overlay.lower.lstatBig(lower)
    if (!stats?.isFile() || stats.size > LARGE || lower === undefined) return
    if (!this.files.isCurrent(lower, fileStamp(stats))) this.saw(path, this.overlay.lower.read(lower))
  }

  /**
   * `stale`: the disk no longer has the base. `unread`: the disk has a file without a base. A staged path is always
   * `fresh`: the review shows how the disk differs from it.
   */
  check(path: string): BaseState {
    const { overlay } = this
    const { node, lower } = overlay.shownAt(path as RelPath)
    if (node?.inode || node?.whiteout || overlay.stage.bases.has(path)) return 'fresh'
    const at = lower ?? (path as RelPath)
    const base = this.files.baseOf(at)
    if (!base) return lower !== undefined && overlay.lower.typeOf(lower) === 'file' ? 'unread' : 'fresh'
    if (base.state?.type === 'dir') return 'fresh'
    // The view resolved this path without a link on the way, so a write need not check for links again.
    const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
    return sameContent(stateNow(overlay.lower, at, base, stats), base.state) ? 'fresh' : 'stale'
  }

  /** The names below a directory whose content the model has seen. */
  readBelow(dir: RelPath): RelPath[] {
    const { node, lower } = this.overlay.placeOf(dir)
    const shows = [...(lower === undefined ? [] : [{ at: dir, lower }]), ...(node ? redirects(node, dir) : [])]
    return this.files
      .paths()
      .flatMap((seen) =>
        shows
          .filter((each) => seen !== each.lower && isWithin(seen, each.lower))
          .map((each) => asRelPath(each.at + seen.slice(each.lower.length))),
      )
  }
}
