import { Errno } from './errno.js'
import type { SharedMap } from './shared-map.js'
import type { Base, ImageEdit, StageEdit } from './stage-edit.js'
import type { TreeNode } from './tree.js'

/**
 * Snapshots of a stage. A snapshot is a root of the tree, which shares unchanged nodes with all others (path copying;
 * Driscoll et al., Making Data Structures Persistent, 1989): creating and restoring one are O(1), and lookups are not
 * affected.
 */

/** The parts of a stage that a restore brings back. */
export interface Version {
  readonly root: TreeNode
  readonly bases: SharedMap<Base>
  /** The last reconciled commit then: later commits and discards apply to the snapshot too. */
  readonly settledSeq: number
  readonly reviewed: number
  readonly reviewId: string | undefined
  /** The number of edits applied then, which orders versions by age. */
  readonly edits: number
}

/** A snapshot of a stage. */
export interface Mark {
  readonly id: string
  /** Nanoseconds since 1970. */
  readonly t: string
  readonly name?: string
  /** The tool call that followed it. */
  readonly call?: string
  readonly tool?: string
  /** The snapshot that the stage was based on when this one was made. */
  readonly parent?: string
  readonly version: Version
}

/** A stage that snapshots can be made of. */
export interface Versioned {
  freeze(): Version
  restore(version: Version): void
}

export class Snapshots {
  readonly #marks = new Map<string, Mark>()
  /** Snapshot id → the version of the stage after its tool call. */
  readonly #ends = new Map<string, Version>()
  #made = 0
  #at: string | undefined
  #changed = false

  constructor(private readonly stage: Versioned) {}

  /** In the order of creation. */
  list(): Mark[] {
    return [...this.#marks.values()]
  }

  get size(): number {
    return this.#marks.size
  }

  /** The highest number of any snapshot. */
  get made(): number {
    return this.#made
  }

  get(id: string): Mark | undefined {
    return this.#marks.get(id)
  }

  /** The snapshot that was last created or restored. */
  get at(): Mark | undefined {
    return this.#at === undefined ? undefined : this.#marks.get(this.#at)
  }

  /** Whether the stage differs from that snapshot. */
  get changed(): boolean {
    return this.#changed
  }

  /** Returns the version after the call of a snapshot; undefined while the call runs, and if it changed nothing. */
  endOf(id: string): Version | undefined {
    return this.#ends.get(id)
  }

  // ---- the effects of edits

  onEdit(): void {
    this.#changed = true
  }

  mark({ id, t, name, before, tool, parent = this.#at }: Extract<StageEdit, { op: 'mark' }>): void {
    const labels = { ...(name !== undefined && { name }), ...(tool !== undefined && { tool }) }
    const from = { ...(before !== undefined && { call: before }), ...(parent !== undefined && { parent }) }
    this.#marks.set(id, { id, t, ...labels, ...from, version: this.stage.freeze() })
    this.#made = Math.max(this.#made, Number(id.slice(1)) || 0)
    this.#at = id
    this.#changed = false
  }

  /** Deletes a snapshot. Its children become children of its parent. */
  unmark(id: string): void {
    const parent = this.#marks.get(id)?.parent
    this.#marks.delete(id)
    this.#ends.delete(id)
    for (const [key, mark] of this.#marks) {
      if (mark.parent !== id) continue
      const { parent: _, ...orphan } = mark
      this.#marks.set(key, parent === undefined ? orphan : { ...orphan, parent })
    }
    if (this.#at !== id) return
    this.#at = parent
    this.#changed = true
  }

  endCall(id: string): void {
    // It may have been deleted while its call ran.
    if (!this.#marks.has(id)) return
    this.#ends.set(id, this.stage.freeze())
  }

  /** Throws EIO for a snapshot that does not exist. */
  travel({ to, less }: Extract<StageEdit, { op: 'travel' }>): void {
    const mark = this.#marks.get(to)
    if (!mark) throw new Errno('EIO')
    this.stage.restore(mark.version)
    this.#at = to
    this.#changed = less.length > 0
  }

  /** Sets the current snapshot from a compacted log. */
  resume({ snapshot, changed, made = 0 }: Extract<ImageEdit, { op: 'resume' }>): void {
    this.#made = Math.max(this.#made, made)
    this.#at = snapshot
    this.#changed = changed
  }
}
