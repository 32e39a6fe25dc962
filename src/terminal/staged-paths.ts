import { childOf, isWithin, type Overlay, type RelPath, ROOT, type TreeNode } from '../../overlay/index.js'

/** A directory of the stage that was renamed: the disk has its content at another path. */
interface Moved {
  readonly path: RelPath
  readonly lower: RelPath
}

/** Paths to compare again. */
export interface ChangedPaths {
  /** Paths that include everything below them. */
  readonly whole: readonly RelPath[]
  readonly single: readonly RelPath[]
}

/** The paths of a stage that differ from the disk, and their changes since the last call. */
export class StagedPaths {
  #overlay: Overlay | undefined
  #edits = 0
  #nodes: ReadonlyMap<RelPath, string> = new Map()
  #dirs: readonly RelPath[] = []
  #moved: readonly Moved[] = []

  /** @returns undefined for another stage: anything can have changed. */
  changed(overlay: Overlay): ChangedPaths | undefined {
    const isSame = this.#overlay === overlay
    const { edits } = overlay.stage
    if (isSame && edits === this.#edits) return { whole: [], single: [] }
    const before = this.#nodes
    this.#read(overlay.stage.tree.root)
    this.#overlay = overlay
    this.#edits = edits
    if (!isSame) return undefined
    const now = this.#nodes
    const whole = [...now].flatMap(([path, kind]) => (before.get(path) === kind ? [] : [path]))
    for (const path of before.keys()) if (!now.has(path)) whole.push(path)
    return { whole, single: [...now.keys()] }
  }

  /** The paths in the stage at which changed paths of the disk appear. */
  showing(lower: readonly RelPath[]): RelPath[] {
    if (lower.length === 0) return []
    const moved = this.#moved.flatMap(({ path, lower: from }) =>
      lower.flatMap((each) => (isWithin(each, from) ? [`${path}${each.slice(from.length)}` as RelPath] : [])),
    )
    // Where a directory of the disk was replaced, none of its names shows in a staged directory below it.
    return [...lower, ...moved, ...this.#dirs]
  }

  #read(root: TreeNode): void {
    const nodes = new Map<RelPath, string>()
    const dirs: RelPath[] = []
    const moved: Moved[] = []
    const visit = (node: TreeNode, path: RelPath): void => {
      const { inode, whiteout, lower } = node
      if (path !== ROOT && (inode !== undefined || whiteout || lower !== undefined)) {
        const isDir = inode?.type === 'dir'
        nodes.set(path, `${whiteout} ${isDir} ${inode !== undefined} ${lower === undefined ? '' : `/${lower}`}`)
        if (isDir || typeof lower === 'string') dirs.push(path)
        if (typeof lower === 'string') moved.push({ path, lower })
      }
      for (const [name, child] of node.children ?? []) visit(child, childOf(path, name))
    }
    visit(root, ROOT)
    this.#nodes = nodes
    this.#dirs = dirs
    this.#moved = moved
  }
}
